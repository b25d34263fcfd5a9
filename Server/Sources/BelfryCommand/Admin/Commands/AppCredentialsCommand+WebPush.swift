import ArgumentParser
import BelfryAPI
import BelfryModel
import BelfryPush
import BelfryServices
import Foundation

extension AppCredentialsCommand {
    struct WebPush: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "webpush",
            abstract: "Set the key pair for Web Push (VAPID).",
            discussion: """
                It prints the public key that the app's web pages subscribe with. A subscription works only with the \
                key pair that it was created with. Keep the file of the private key: a new pair ends all subscriptions.
                """
        )

        @OptionGroup var admin: AdminOptions
        @Argument(help: "The app's code.")
        var app: String
        @Option(help: "Your contact for push services: mailto:ops@example.com, or an https address.")
        var subject: String
        @Option(help: "The file of the private key: PEM, or the text that VAPID tools print.", completion: .file())
        var key: String
        @Flag(help: "Create a new key pair and write its private key to the file first.")
        var generate = false
        @Option(help: "A PEM file with the certificates to trust instead of the system's.")
        var trustRoots: String?

        func run() async throws {
            let trustRoots = try trustRoots.map { try InputFile($0, option: "--trust-roots").text() }
            let existing = generate ? nil : try InputFile(key, option: "--key").text()
            let answer: WebPushCredentialsResponse = try await admin.withClient { client in
                let privateKey: String
                if let existing { privateKey = existing } else { privateKey = try await makeKey(client) }
                let request = WebPushCredentialsRequest(
                    subject: subject, privateKey: privateKey, trustRoots: trustRoots
                )
                return try await client.call(CredentialRoutes.putWebPushCredentials, app, body: request)
            }
            try admin.show(answer) {
                "The app sends to browsers as \($0.subject). Web pages subscribe with the public key:\n\($0.publicKey)"
            }
        }

        /// Writes the key to the file before it is sent: the server never returns it.
        private func makeKey(_ client: AdminClient) async throws -> String {
            let stored: CredentialListResponse = try await client.call(CredentialRoutes.listCredentials, app)
            if stored.webpush != nil { throw SecondKeyPair(app: app) }
            let privateKey = WebPushCredentials.makePrivateKey(randomBytes: ServerEnvironment.live.randomBytes)
            try NewKeyFile(key, option: "--key").write(privateKey)
            return privateKey
        }
    }
}

/// The error when an app already has a key pair: replacing it by mistake would lose all browser subscriptions.
struct SecondKeyPair: Error, CustomStringConvertible {
    let app: String

    var description: String {
        "The app '\(app.prefix(64).printable)' already has a key pair for Web Push. A new one would end the "
            + "subscriptions of all its browsers. If you want that, remove the old one first: "
            + "belfry app credentials remove \(app.prefix(64).printable) webpush"
    }
}
