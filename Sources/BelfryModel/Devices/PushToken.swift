/// A push service.
public enum PushProvider: String, Hashable, Sendable, Codable, CaseIterable {
    case apns
    case fcm
    case webpush

    /// The provider of a device that does not name one (WIRE-5).
    ///
    /// - Throws: `pushServiceNotSupported` for Huawei's devices: their tokens are from Huawei's own service, and FCM
    ///   would report each as invalid (WIRE-29).
    public static func standard(forPlatform platform: String?) throws(ValueError) -> PushProvider {
        switch platform?.lowercased() {
        case "android": return .fcm
        case "android-huawei":
            throw ValueError(
                code: "pushServiceNotSupported",
                message:
                    "The platform android-huawei has tokens of Huawei's push service (HMS), and Belfry sends through "
                    + "APNs, FCM and Web Push. If the token is of FCM, name the provider fcm."
            )
        case "web", "chrome", "firefox", "safari": return .webpush
        default: return .apns
        }
    }
}

/// The one of Apple's two services to which a token belongs.
public enum PushEnvironment: String, Hashable, Sendable, Codable, CaseIterable {
    case production
    case sandbox
}

/// The address that a push service issued to one installation: 1 to 4,096 bytes of visible ASCII.
public struct PushToken: Hashable, Sendable {
    public static let maximumLength = 4_096

    public let value: String
    public let provider: PushProvider
    public let environment: PushEnvironment

    public init(_ value: String, provider: PushProvider, environment: PushEnvironment) throws(ValueError) {
        guard (1...Self.maximumLength).contains(value.utf8.count), value.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
        else {
            throw ValueError(
                code: "invalidPushToken",
                message: "A push token has 1 to \(Self.maximumLength) visible ASCII characters and no spaces."
            )
        }
        // APNs tokens are hexadecimal. One spelling is used, so that the same token is always equal (REG-27).
        let isHexadecimal = provider == .apns && value.utf8.allSatisfy(\.isHexDigit)
        self.value = isHexadecimal ? value.lowercased() : value
        self.provider = provider
        self.environment = environment
    }

    /// A token that was checked before it was stored.
    public init(stored value: String, provider: PushProvider, environment: PushEnvironment) {
        self.value = value
        self.provider = provider
        self.environment = environment
    }
}

extension PushToken: CustomStringConvertible {
    /// The shortened token, for logs and people (SEC-3).
    public var description: String {
        value.count <= 12 ? "\(provider.rawValue):…" : "\(provider.rawValue):\(value.prefix(6))…\(value.suffix(4))"
    }
}
