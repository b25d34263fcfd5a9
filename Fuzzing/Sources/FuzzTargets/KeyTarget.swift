import BelfryModel
import Foundation

@testable import BelfryAPI
@testable import BelfryPush
@testable import BelfryServerModel
@testable import BelfryServices

/// Keys and certificates that operators paste, and the key sets of identity providers.
enum KeyTarget {
    static func run(_ bytes: [UInt8]) throws {
        let text = String(decoding: bytes, as: UTF8.self)
        for block in PEMBlock.blocks(in: text) ?? [] {
            try expect(!block.der.isEmpty, "a block has content")
            let again = PEMBlock.blocks(in: block.text)
            try expect(
                again?.count == 1 && again?.first?.der == block.der, "a block reads back as itself: \(block.label)")
        }
        if let key = try? APNsPrivateKey.parse(text) { _ = try key.signature(for: Data(bytes)) }
        if let key = try? VAPIDPrivateKey.parse(text) { _ = try key.signature(for: Data(bytes)) }
        _ = try? ServiceAccountKey.parse(text)
        _ = try? TrustRoots.parse(text)
        _ = try? ServiceAccount(text)
        _ = ServiceAccount.errors(text)
        _ = WebPushCredentials.errors(subject: text, privateKey: text, trustRoots: text)
        if let subscription = try? WebPushSubscription(token: text) {
            try expect(
                subscription.endpoint.authority.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "a header holds it")
        }
        try keySet(bytes)
    }

    private static func keySet(_ bytes: [UInt8]) throws {
        guard let keys = try? JSONBody.decode(JSONWebKeySet.self, from: bytes) else { return }
        var errors: [FieldError] = []
        let settings = OpenIDSettings(issuer: "https://issuer", audience: "shop", claim: "sub", jwks: keys)
            .checked(at: "openID") { errors.append($0) }
        try expect(settings.jwks.keys.count <= OpenIDSettings.maximumKeys || !errors.isEmpty, "a key set has a bound")
        for key in keys.keys {
            guard let algorithm = key.signingAlgorithm, let read = try? VerificationKey(key, for: algorithm) else {
                continue
            }
            try expect(!read.verifies([UInt8](repeating: 1, count: 64), of: [1]), "nobody signed this")
        }
    }
}
