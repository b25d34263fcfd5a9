/// A Firebase installation id, which messages may name instead of a registration token: 17 bytes, of which the first
/// four bits are 0111, in base64url and cut to 22 characters.
///
/// Source: Google, "Manage Firebase installations"; `fid` of "REST Resource: projects.messages".
enum FCMInstallationID {
    private static let length = 22
    private static let byteCount = 17
    /// Fills the key's last eight bytes, which an id does not use.
    private static let mark = Array("instance".utf8)

    /// The key of a new installation, from random bytes.
    static func key(_ random: [UInt8]) -> DeviceTokenKey {
        var bytes = Array(random.prefix(byteCount))
        bytes[0] = 0x70 | bytes[0] & 0x0f
        bytes[byteCount - 1] &= 0xf0
        return key(bytes: bytes)
    }

    /// The key of an installation id; nil if the text is not one.
    static func key(of text: String) -> DeviceTokenKey? {
        // The text has only four bits of the last byte; the others are zero.
        guard text.utf8.count == length, let bytes = SimulatorBase64URL.decode(text + "A"), bytes.count == byteCount,
            bytes[0] & 0xf0 == 0x70
        else { return nil }
        return key(bytes: bytes)
    }

    /// The installation id of a key; nil if the key is that of a registration token.
    static func text(of key: DeviceTokenKey) -> String? {
        let bytes = key.bytes
        guard Array(bytes[24...]) == mark, bytes[byteCount..<24].allSatisfy({ $0 == 0 }) else { return nil }
        return String(SimulatorBase64URL.encode(bytes[..<byteCount]).prefix(length))
    }

    private static func key(bytes: [UInt8]) -> DeviceTokenKey {
        DeviceTokenKey(bytes: bytes + [UInt8](repeating: 0, count: 24 - byteCount) + mark)
    }
}

/// The address of an app instance, as its app sends it to the sender: a registration token or an installation id.
enum FCMAddress {
    static func text(of key: DeviceTokenKey) -> String {
        FCMInstallationID.text(of: key) ?? FCMTokenText.text(of: key)
    }

    /// Nil if no such address was issued.
    static func key(of text: String) -> DeviceTokenKey? {
        FCMInstallationID.key(of: text) ?? FCMTokenText.key(of: text)
    }
}
