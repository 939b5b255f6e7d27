// Stand-ins for Firebase's library, which Maven Central does not have: what docs/apps-kotlin.md uses of it.
package com.google.firebase.messaging

import android.app.Service
import android.content.Intent

class RemoteMessage(val data: Map<String, String>)

abstract class FirebaseMessagingService : Service() {
    override fun onBind(intent: Intent) = null

    open fun onMessageReceived(message: RemoteMessage) {}

    open fun onNewToken(token: String) {}
}

class Task(private val result: String) {
    fun addOnSuccessListener(use: (String) -> Unit) = use(result)
}

class FirebaseMessaging(val token: Task) {
    companion object {
        fun getInstance() = FirebaseMessaging(Task("token"))
    }
}
