/// The registration token of a simulated Android device: an instance id of eleven characters, a colon, and 140 more, as
/// Google's tokens have them today. (Google promises no length.)
///
/// All of it follows from 32 bytes, so a token that was cut or mistyped can be told from one that is no longer known.
enum FCMTokenText {
    private static let mark = ":APA91b"
    private static let idLength = 11
    private static let keyLength = 43
    private static let fillingLength = 91

    static func text(of key: DeviceTokenKey) -> String {
        // Each byte changes everything that follows from the seed.
        var random = SimulatorRandom(seed: key.bytes.reduce(1) { SimulatorRandom.mixed($0 ^ UInt64($1)) })
        return characters(idLength, &random) + mark + key.base64URL + characters(fillingLength, &random)
    }

    /// Nil if the text cannot be an issued token.
    static func key(of text: String) -> DeviceTokenKey? {
        let characters = Array(text.utf8)
        let start = idLength + mark.utf8.count
        guard characters.count == start + keyLength + fillingLength,
            let key = DeviceTokenKey(base64URL: String(decoding: characters[start..<start + keyLength], as: UTF8.self)),
            Self.text(of: key) == text
        else { return nil }
        return key
    }

    private static func characters(_ count: Int, _ random: inout SimulatorRandom) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(count)
        while text.count < count {
            var bits: UInt64 = random.next()
            for _ in 0..<min(10, count - text.count) {
                text.append(SimulatorBase64URL.character(bits))
                bits >>= 6
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}

/// FCM's knowledge of a registration token when a message for it arrives.
struct FCMDeviceState: Sendable, Equatable {
    var project: String
    var state: FCMTokenState
}

/// The state of a registration token in the push service.
public enum FCMTokenState: String, Sendable, Codable, CaseIterable {
    /// Messages of its project are accepted.
    case valid
    /// 404 `UNREGISTERED`.
    case unregistered
    /// 400 `INVALID_ARGUMENT`, with `message.token` as the field.
    case malformed
    /// 403 `SENDER_ID_MISMATCH`, whatever the project.
    case otherSender
    /// 401 `THIRD_PARTY_AUTH_ERROR`: the device is an iPhone or a browser, and the project has no valid key for it.
    case thirdPartyAuthError
}
