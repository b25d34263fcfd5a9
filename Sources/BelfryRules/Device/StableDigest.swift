import BelfryModel
import Foundation

/// A digest that is the same in every run and on every platform, so that it can be stored and compared.
///
/// It is FNV-1a with 128 bits: enough to distinguish records, and computable without a secret. It replaces content that
/// should not stay on the device, for example after a logout.
public struct StableDigest: Hashable, Sendable, Codable {
    /// The digest as 32 hexadecimal digits.
    public let text: String

    init(_ hash: FNV128) {
        text = hash.text
    }
}

/// Named fields, encoded so that two different lists of fields never have the same encoding.
struct DigestFields {
    private var hash = FNV128()

    mutating func add(_ name: String, _ value: String?) {
        guard let value else { return hash.add("\(name):-;") }
        hash.add("\(name):\(value.utf8.count)=\(value);")
    }

    mutating func add(_ name: String, _ flag: Bool?) {
        add(name, flag.map { $0 ? "1" : "0" })
    }

    mutating func add(_ system: SystemProperties) {
        add("timeZone", system.timeZone)
        add("locale", system.locale)
        add("platform", system.platform)
        add("osVersion", system.osVersion)
        add("appVersion", system.appVersion)
        add("sdkVersion", system.sdkVersion)
        add("deviceModel", system.deviceModel)
    }

    mutating func add(_ token: PushToken?) {
        add("pushToken", token?.value)
        add("pushProvider", token?.provider.rawValue)
        add("pushEnvironment", token?.environment.rawValue)
    }

    var digest: StableDigest { StableDigest(hash) }
}

extension StableDigest {
    /// The content of a registration and its person: equal records of two people differ. The last app open is left out,
    /// because it never counts as a difference (REG-3).
    ///
    /// - Parameter person: the number of the person who uses the device; nil is the first.
    public init(record: ContactRecord, person: Int? = nil) {
        var fields = DigestFields()
        if let person { fields.add("person", String(person)) }
        fields.add("contactKey", record.contactKey?.rawValue)
        fields.add("party.type", record.partyIdentifier?.type)
        fields.add("party.name", record.partyIdentifier?.name)
        fields.add("party.number", record.partyIdentifier?.number)
        fields.add(record.pushToken)
        fields.add("pushEnabled", record.pushEnabled)
        fields.add("osPushEnabled", record.osPushEnabled)
        for (key, value) in record.attributes.sorted(by: { $0.key < $1.key }) {
            fields.add("attribute", key.rawValue)
            fields.add("value", value.digestText)
        }
        for tag in record.tags.sorted() {
            fields.add("tag", tag.rawValue)
        }
        fields.add(record.system)
        self = fields.digest
    }

    /// The content of `POST /client` (ID-2).
    public init(properties system: SystemProperties, osPushEnabled: Bool?) {
        var fields = DigestFields()
        fields.add(system)
        fields.add("osPushEnabled", osPushEnabled)
        self = fields.digest
    }

    /// The digest of any text, for example to derive a file name.
    public init(text: String) {
        var fields = DigestFields()
        fields.add("text", text)
        self = fields.digest
    }

    /// A push token with its provider and environment (ID-5).
    public init(pushToken: PushToken) {
        var fields = DigestFields()
        fields.add(pushToken)
        self = fields.digest
    }

    /// Replaces a push token's digest when the token was removed.
    public static let removedPushToken: StableDigest = {
        var fields = DigestFields()
        fields.add("pushToken", nil as String?)
        return fields.digest
    }()

    /// The content of a link request: a different token may be accepted after one was refused.
    init(link: PendingLink) {
        var fields = DigestFields()
        switch link.target {
        case .anonymous:
            fields.add("target", "anonymous")
            if let nonce = link.nonce { fields.add("nonce", nonce) }
        case .known(let key, let field):
            fields.add("target", "known")
            fields.add("key", key)
            fields.add("field", field)
        case .party(let party):
            fields.add("target", "party")
            fields.add("party.type", party.type)
            fields.add("party.name", party.name)
            fields.add("party.number", party.number)
        case .openID(let subject):
            fields.add("target", "openID")
            fields.add("subject", subject.text)
            fields.add("proof", link.proof?.digest.text)
        }
        self = fields.digest
    }
}

extension AttributeValue {
    /// A date counts as its text in requests, so that a record that is read back from the store is not changed.
    fileprivate var digestText: String {
        switch asWritten {
        case .string(let text): "s\(text)"
        case .number(let number): "n\(number.bitPattern)"
        case .boolean(let flag): flag ? "b1" : "b0"
        case .date(let date): "d\(date.milliseconds)"
        }
    }
}

/// FNV-1a with 128 bits (draft-eastlake-fnv).
struct FNV128 {
    private var high: UInt64 = 0x6c62_272e_07bb_0142
    private var low: UInt64 = 0x62b8_2175_6295_c58d

    mutating func add(_ text: String) {
        for byte in text.utf8 {
            add(byte)
        }
    }

    private mutating func add(_ byte: UInt8) {
        low ^= UInt64(byte)
        // The prime is 2^88 + 0x13b.
        let product = low.multipliedFullWidth(by: 0x13b)
        high = product.high &+ high &* 0x13b &+ low << 24
        low = product.low
    }

    var text: String { Self.hexadecimal(high) + Self.hexadecimal(low) }

    private static func hexadecimal(_ word: UInt64) -> String {
        let digits = String(word, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
