import BelfryPush
import Crypto
import Foundation

/// Small opaque values that the device keeps for the server: numbers and a MAC over them and their purpose.
enum SignedValue {
    private static let macLength = 16

    static func make(_ numbers: [Int64], for subject: String, key: SymmetricKey) -> String {
        let payload = numbers.flatMap { number in withUnsafeBytes(of: number.bigEndian) { Array($0) } }
        return Base64URL.encode(payload + mac(payload, subject, key))
    }

    /// The numbers, or nil when the value is absent, stale, forged or another's.
    static func read(_ text: String?, count: Int, for subject: String, key: SymmetricKey) -> [Int64]? {
        guard let text, text.utf8.count <= 256, let bytes = Base64URL.decode(text),
            bytes.count == count * 8 + macLength
        else { return nil }
        let payload = Array(bytes.prefix(count * 8))
        guard constantTimeEqual(mac(payload, subject, key), Array(bytes.suffix(macLength))) else { return nil }
        return (0..<count).map { index in
            payload[(index * 8)..<(index * 8 + 8)].reduce(Int64(0)) { $0 << 8 | Int64($1) }
        }
    }

    private static func mac(_ payload: [UInt8], _ subject: String, _ key: SymmetricKey) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Data(payload + Array(subject.utf8)), using: key).prefix(macLength))
    }
}

/// Compares without telling by its duration where two secrets differ.
func constantTimeEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.count == right.count && zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
}

/// `X-Client-State` (WIRE-20): vouches that its bearer is the installation that was linked to a contact.
struct ClientState: Hashable, Sendable {
    let device: Int64
    /// 0 when it vouches for no contact.
    let contact: Int64

    func signed(for clientID: String, with keys: ServerKeys) -> String {
        SignedValue.make([device, contact], for: clientID, key: keys.clientState)
    }

    init(device: Int64, contact: Int64) {
        self.device = device
        self.contact = contact
    }

    init?(_ text: String?, for clientID: String, with keys: ServerKeys) {
        guard let numbers = SignedValue.read(text, count: 2, for: clientID, key: keys.clientState) else { return nil }
        self.init(device: numbers[0], contact: numbers[1])
    }
}

/// `contactReference` (ID-7): names a contact to the device that was linked to it, and to no other. It begins with the
/// contact's recipient mark, by which the device knows whose a push is (ID-4).
enum ContactReference {
    private static let separator: Character = "."
    private static let maximumLength = 256

    static func make(contact: Int64, device: Int64, keys: ServerKeys) -> String {
        let mark = RecipientMark.make(contactID: contact, key: keys.recipientMark)
        return mark + String(separator)
            + SignedValue.make([contact], for: "device:\(device)", key: keys.contactReference)
    }

    /// References of before the mark was part of them have no separator. The mark is not signed, so its length is looked
    /// at: whoever remembers references remembers them whole.
    static func contact(_ text: String?, device: Int64, keys: ServerKeys) -> Int64? {
        guard let text, text.utf8.count <= maximumLength else { return nil }
        let signed = text.lastIndex(of: separator).map { String(text[text.index(after: $0)...]) } ?? text
        return SignedValue.read(signed, count: 1, for: "device:\(device)", key: keys.contactReference)?.first
            .flatMap { $0 > 0 ? $0 : nil }
    }
}
