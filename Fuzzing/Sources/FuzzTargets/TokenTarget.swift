import BelfryModel
import BelfryRules
import Foundation

@testable import BelfryPush
@testable import BelfryServices

/// Credentials that a caller presents: contact tokens, client states, references, tokens of identity providers,
/// cursors.
enum TokenTarget {
    static func run(_ bytes: [UInt8]) throws {
        let text = String(decoding: bytes, as: UTF8.self)
        try base64(bytes, text)
        try signed(text)
        if let cursor = InAppCursor(text) {
            try expect(InAppCursor(cursor.text) == cursor, "a cursor reads back as itself: \(text)")
            try expect(cursor.text.utf8.count <= InAppCursor.maximumLength * 2, "a cursor has a bound")
        }
        try openID(text)
        if let proof = try? OpenIDProof(text) { _ = proof.subject }
    }

    private static func base64(_ bytes: [UInt8], _ text: String) throws {
        try expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes, "bytes read back as themselves")
        try expect(Base64URL.decodeCanonical(utf8: Base64URL.encode(bytes).utf8) == bytes, "in the one spelling")
        guard let decoded = Base64URL.decode(text) else { return }
        let plain = Base64URL.encode(decoded)
        try expect(Base64URL.decode(plain) == decoded, "what is read is written again")
    }

    /// Only the server can make a valid token.
    private static func signed(_ text: String) throws {
        let keys = Fixtures.keys
        let client = Fixtures.device.canonical
        let token = ContactToken(
            app: "shop", clientID: client, device: 1, generation: 1, epoch: 0, expiresAt: Fixtures.now)
        let mine = token.signed(with: keys)
        try expect((try? ContactToken(verifyingSignatureOf: mine, with: keys)) == token, "a token of ours counts")
        if !text.utf8.elementsEqual(mine.utf8) {
            let forged = try? ContactToken(verifyingSignatureOf: text, with: keys)
            try expect(forged == nil, "a token that nobody signed counts: \(text)")
        }
        try expect(
            ClientStateHeader(text, for: client, with: keys) == nil, "a state that nobody signed counts: \(text)")
        try expect(ContactReference(text, for: 1, with: keys) == nil, "a reference that nobody signed counts: \(text)")
        guard !text.isEmpty else { return }
        let spoilt = try? ContactToken(verifyingSignatureOf: mine + text, with: keys)
        try expect(spoilt == nil, "a token with something behind it counts: \(text)")
    }

    private static func openID(_ text: String) throws {
        guard let token = try? OpenIDToken(text) else { return }
        guard let claims = try? token.claims() else { return }
        _ = claims.isFrom("https://issuer")
        _ = claims.isFor("shop")
        try? claims.checkTimes(at: Fixtures.now.timeIntervalSince1970, leeway: OpenIDVerifier.leeway)
        if let key = try? claims.contactKey(in: "sub") {
            try expect(!key.rawValue.isEmpty, "a contact key is not empty")
        }
    }
}
