import BelfryAPI
import BelfryServerTestSupport
import Foundation
import Testing

@Suite("Commands for the credentials of push services")
struct CredentialCommandTests {
    @Test(
        "CLI-4, PUSH-2, PUSH-3: credentials are put, listed without a secret, and removed", .timeLimit(.minutes(10))
    )
    func story() async throws {
        try await withStage { stage in
            try await stage.withServer { server in
                try await stage.admin(server).createApp()
                let account = try stage.file("account.json", ServiceAccountFile.json())
                let fcm: FCMCredentialsResponse = try await stage.answer(
                    ["app", "credentials", "fcm", "shop", "--service-account", account], at: server.address
                )
                #expect(fcm.projectId == ServiceAccountFile.projectID)

                let webPush = try await makePair(stage, at: server.address)
                let list: CredentialListResponse = try await stage.answer(
                    ["app", "credentials", "list", "shop"], at: server.address
                )
                #expect(list.fcm?.facts == fcm && list.webpush?.facts == webPush && list.apns == nil)
                let shown = try await stage.command(["app", "credentials", "list", "shop"], at: server.address)
                #expect(shown.output.contains(webPush.publicKey) && !shown.output.contains("PRIVATE"))

                for service in ["fcm", "webpush"] {
                    let removal = ["app", "credentials", "remove", "shop", service]
                    #expect(try await stage.command(removal, at: server.address).exit == .code(0))
                    try await stage.command(removal, at: server.address).expectError(1, naming: ["credentials"])
                }
            }
        }
    }

    /// A pair that is made is in a file of its owner's, and no second one is made by mistake.
    private func makePair(_ stage: Stage, at address: String) async throws -> WebPushCredentialsResponse {
        let key = stage.folder.appending(path: "vapid.pem").path
        let command = ["app", "credentials", "webpush", "shop", "--subject", "mailto:ops@example.com", "--key"]
        let made: WebPushCredentialsResponse = try await stage.answer(command + [key, "--generate"], at: address)
        #expect(made.publicKey.count == 87)
        let mode = try FileManager.default.attributesOfItem(atPath: key)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let pem = try String(contentsOfFile: key, encoding: .utf8)

        let other = stage.folder.appending(path: "other.pem").path
        try await stage.command(command + [other, "--generate"], at: address)
            .expectError(1, naming: ["key pair", "remove shop webpush"])
        #expect(!FileManager.default.fileExists(atPath: other))
        // The file is put again as it is.
        let again: WebPushCredentialsResponse = try await stage.answer(command + [key], at: address)
        #expect(again == made)

        _ = try await stage.command(["app", "credentials", "remove", "shop", "webpush"], at: address)
        try await stage.command(command + [key, "--generate"], at: address)
            .expectError(1, naming: [key, "--key", "overwritten"])
        #expect(try String(contentsOfFile: key, encoding: .utf8) == pem)
        return try await stage.answer(command + [key], at: address)
    }
}
