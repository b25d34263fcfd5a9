import BelfryModel
import BelfryPush
import BelfryServerTestSupport
import BelfryTestSupport
import Crypto
import Foundation
import Testing

struct APNsPrivateKeyTests {
    @Test("PUSH-1: a .p8 file is read however it was copied")
    func spellings() throws {
        let pem = try Fixtures.key().pemRepresentation
        let spellings = [
            pem, pem + "\n\n", pem.replacingOccurrences(of: "\n", with: "\r\n"), "a comment\n" + pem,
            pem.split(separator: "\n").map { "  \($0)  " }.joined(separator: "\n"),
            try Fixtures.pem("PRIVATE KEY", Array(Fixtures.key().derRepresentation)),
        ]
        for spelling in spellings {
            let read = try Fixtures.credentials(privateKey: spelling).privateKey
            #expect(try read.rawRepresentation == Fixtures.key().rawRepresentation)
        }
    }

    @Test("PUSH-1: an invalid APNs key is refused with the reason, and the field is named")
    func rejections() throws {
        let der = try Array(Fixtures.key().derRepresentation)
        let rsa: [UInt8] =
            [0x30, 0x1e, 0x02, 0x01, 0x00, 0x30, 0x0d, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01]
            + [0x01, 0x05, 0x00, 0x04, 0x0a] + [UInt8](repeating: 7, count: 10)
        let table: [(key: String, says: String)] = try [
            ("", "not PEM"),
            ("garbage", "not PEM"),
            ("-----BEGIN PRIVATE KEY-----\nnot base64!\n-----END PRIVATE KEY-----", "not PEM"),
            ("-----BEGIN PRIVATE KEY-----\nAAAA", "not PEM"),
            (Fixtures.pem("CERTIFICATE", der), "not PEM"),
            (Fixtures.key().publicKey.pemRepresentation, "not PEM"),
            (Fixtures.pem("EC PRIVATE KEY", der), "'EC PRIVATE KEY'"),
            (Fixtures.pem("ENCRYPTED PRIVATE KEY", der), "'ENCRYPTED PRIVATE KEY'"),
            (Fixtures.pem("PRIVATE KEY", rsa), "RSA"),
            (Fixtures.pem("PRIVATE KEY", [0x30, 0x00]), "not an elliptic-curve key"),
            (P384.Signing.PrivateKey().pemRepresentation, "another curve"),
            (Fixtures.pem("PRIVATE KEY", onAnotherCurve(der)), "another curve"),
            (Fixtures.pem("PRIVATE KEY", Array(der.dropLast(90))), "damaged"),
            (String(repeating: "x", count: 20_000), "at most"),
        ]
        for (key, says) in table {
            do {
                _ = try Fixtures.credentials(privateKey: key)
                Issue.record("accepted: \(key.prefix(60))")
            } catch let error as FieldError {
                #expect(error.field == "privateKey")
                #expect(error.error.message.contains(says), "\(error.error.message)")
            }
        }
    }

    @Test("PUSH-1: no damage to a key file crashes")
    func damage() throws {
        var random = SeededGenerator(seed: 8)
        let der = try Array(Fixtures.key().derRepresentation)
        let pem = try Array(Fixtures.key().pemRepresentation.utf8)
        for _ in 0..<500 {
            let text = String(decoding: damaged(pem, using: &random), as: UTF8.self)
            let inside = Fixtures.pem("PRIVATE KEY", damaged(der, using: &random))
            for key in [text, inside] {
                let field = rejectedField { try Fixtures.credentials(privateKey: key) }
                #expect(field == nil || field == "privateKey")
            }
        }
    }

    private func damaged(_ bytes: [UInt8], using random: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
            let index = Int.random(in: bytes.indices, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: bytes[index] = UInt8.random(in: .min ... .max, using: &random)
            case 1: bytes.remove(at: index)
            case 2: bytes.insert(UInt8.random(in: .min ... .max, using: &random), at: index)
            default: bytes.removeLast(min(bytes.count, Int.random(in: 1...40, using: &random)))
            }
        }
        return bytes
    }

    /// The same 32 bytes, said to be on prime239v3.
    private func onAnotherCurve(_ der: [UInt8]) throws -> [UInt8] {
        let p256: [UInt8] = [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07]
        let range = try #require(der.firstRange(of: p256))
        var changed = der
        changed[range.upperBound - 1] = 0x06
        return changed
    }
}
