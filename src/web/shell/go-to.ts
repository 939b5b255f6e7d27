/** Shows a page of ours without a reload: the router listens for clicks on links. */
export function goTo(href: string): void {
  const link = document.createElement('a');
  link.href = href;
  document.body.append(link);
  link.click();
  link.remove();
}
