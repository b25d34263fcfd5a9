import BelfryModel
import BelfryPush
import BelfryServerTestSupport
import BelfryTestSupport
import Crypto
import Foundation
import Testing

/// Values that tests share; the key is made from the bytes 1 to 32 and signs nothing else.
enum Fixtures {
    static let now = Date(timeIntervalSince1970: 1_764_000_000)

    static func key() throws -> P256.Signing.PrivateKey {
        try P256.Signing.PrivateKey(rawRepresentation: Data(1...32))
    }

    static func credentials(
        teamID: String = "TEAM123456",
        keyID: String = "KEY1234567",
        topic: String = "com.example.app",
        privateKey: String? = nil,
        endpoint: String? = nil,
        sandboxEndpoint: String? = nil,
        trustRoots: String? = nil
    ) throws -> APNsCredentials {
        try APNsCredentials(
            teamID: teamID,
            keyID: keyID,
            topic: topic,
            privateKey: privateKey ?? key().pemRepresentation,
            endpoint: endpoint,
            sandboxEndpoint: sandboxEndpoint,
            trustRoots: trustRoots
        )
    }

    static func webPushCredentials(
        subject: String = "mailto:push@example.com", privateKey: String? = nil
    ) throws -> WebPushCredentials {
        let raw = try key().rawRepresentation
        return try WebPushCredentials(subject: subject, privateKey: privateKey ?? Base64URL.encode(raw))
    }

    /// Keys for one message.
    static func ephemeralKeys() -> EphemeralKeys {
        var random = SeededGenerator(seed: 1)
        return ephemeralKeys(using: &random)
    }

    static func ephemeralKeys(using random: inout SeededGenerator) -> EphemeralKeys {
        EphemeralKeys { count in (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) } }
    }

    static func message() throws -> MessageID {
        try .make(campaign: campaign(), device: DeviceID("3F2504E0-4F89-41D3-9A0C-0305E82C3301"))
    }

    static func campaign(_ number: Int64 = 7) throws -> CampaignID {
        try #require(CampaignID(number))
    }

    /// PEM as RFC 7468 draws it, written apart from the code under test.
    static func pem(_ label: String, _ der: [UInt8]) -> String {
        "-----BEGIN \(label)-----\n\(Data(der).base64EncodedString())\n-----END \(label)-----\n"
    }
}
