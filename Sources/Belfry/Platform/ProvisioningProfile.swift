import BelfryModel
import Foundation

/// The provisioning profile of an app on Apple's systems: a signed envelope around an unencrypted property list.
struct ProvisioningProfile: Hashable, Sendable {
    private static let keys = ["aps-environment", "com.apple.developer.aps-environment"]

    /// The push service that issues this build's tokens; nil when the profile does not allow pushes.
    let pushEnvironment: PushEnvironment?

    /// - Returns: nil without a readable property list with entitlements.
    init?(_ data: Data) {
        guard let start = data.range(of: Data("<?xml".utf8))?.lowerBound,
            let end = data.range(of: Data("</plist>".utf8), in: start..<data.endIndex)?.upperBound,
            let list = try? PropertyListSerialization.propertyList(
                from: Data(data[start..<end]), options: [], format: nil
            ) as? [String: Any],
            let entitlements = list["Entitlements"] as? [String: Any]
        else { return nil }
        let name = Self.keys.compactMap { entitlements[$0] as? String }.first
        switch name {
        case "development": pushEnvironment = .sandbox
        case "production": pushEnvironment = .production
        default: pushEnvironment = nil
        }
    }
}
