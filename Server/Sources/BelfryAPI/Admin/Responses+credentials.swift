import BelfryModel
import BelfryServices
import BelfryWire

extension APNsCredentialsResponse {
    init(_ facts: CredentialVault.APNsSecret.Facts) {
        self.init(teamId: facts.teamID, keyId: facts.keyID, topic: facts.topic)
    }
}

extension FCMCredentialsResponse {
    init(_ facts: CredentialVault.FCMSecret.Facts) {
        self.init(projectId: facts.projectID, clientEmail: facts.clientEmail)
    }
}

extension WebPushCredentialsResponse {
    init(_ facts: CredentialVault.WebPushSecret.Facts) {
        self.init(publicKey: facts.publicKey, subject: facts.subject)
    }
}

extension CredentialListResponse {
    init(_ overview: CredentialOverview) {
        self.init(
            apns: overview.apns.map { Entry($0, APNsCredentialsResponse.init) },
            fcm: overview.fcm.map { Entry($0, FCMCredentialsResponse.init) },
            webpush: overview.webpush.map { Entry($0, WebPushCredentialsResponse.init) }
        )
    }
}

extension CredentialListResponse.Entry {
    fileprivate init<Stored>(_ entry: CredentialOverview.Entry<Stored>, _ shown: (Stored) -> Facts) {
        self.init(facts: entry.facts.map(shown), updatedAt: Timestamp.text(entry.updatedAt))
    }
}
