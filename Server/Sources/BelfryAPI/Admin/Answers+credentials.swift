import BelfryModel
import BelfryServices
import BelfryWire

extension APNsCredentialsAnswer {
    init(_ facts: CredentialVault.APNsSecret.Facts) {
        self.init(teamId: facts.teamID, keyId: facts.keyID, topic: facts.topic)
    }
}

extension FCMCredentialsAnswer {
    init(_ facts: CredentialVault.FCMSecret.Facts) {
        self.init(projectId: facts.projectID, clientEmail: facts.clientEmail)
    }
}

extension WebPushCredentialsAnswer {
    init(_ facts: CredentialVault.WebPushSecret.Facts) {
        self.init(publicKey: facts.publicKey, subject: facts.subject)
    }
}

extension CredentialListAnswer {
    init(_ overview: CredentialOverview) {
        self.init(
            apns: overview.apns.map { Entry($0, APNsCredentialsAnswer.init) },
            fcm: overview.fcm.map { Entry($0, FCMCredentialsAnswer.init) },
            webpush: overview.webpush.map { Entry($0, WebPushCredentialsAnswer.init) }
        )
    }
}

extension CredentialListAnswer.Entry {
    fileprivate init<Stored>(_ entry: CredentialOverview.Entry<Stored>, _ shown: (Stored) -> Facts) {
        self.init(facts: entry.facts.map(shown), updatedAt: Timestamp.text(entry.updatedAt))
    }
}
