import BelfryModel
import BelfryServices
import BelfryWire
import Foundation
import Hummingbird

/// The endpoint for device properties (WIRE-1).
struct ClientController: Sendable {
    static let routes: [Route<DeviceRequestContext>] = [
        Route(putClient) { Self(services: $0).putProperties }
    ]

    private static let putClient = APIOperation(
        method: .post, path: "/v3/apps/{appCode}/client", id: "putClient", area: .device,
        access: .deviceWithOptionalToken,
        summary: "Send the device's properties",
        description: "The first request of an installation. Repeating it changes nothing.",
        body: APIOperation.Body(ClientProperties.self), responses: [.done("The properties were stored.")]
    )

    let services: APIServices

    private func putProperties(_ request: Request, _ context: DeviceRequestContext) async throws -> Response {
        let properties = try await request.json(ClientProperties.self, meter: services.meter(of: context))
        let response = try await services.clients.putProperties(
            properties.system(), osPushEnabled: properties.osPushEnabled, channel: properties.channel,
            caller: services.arriving(context)
        )
        return Response(status: .noContent).carrying(stateOf: response)
    }
}

extension ClientProperties {
    static let maximumLength = SystemProperties.maximumLength

    /// The properties in the server's terms; a blank one counts as absent.
    func system() throws(APIError) -> SystemProperties {
        SystemProperties(
            timeZone: try Self.timeZone(timezone),
            locale: try Self.bounded("language", language),
            platform: try Self.bounded("platform", platform),
            osVersion: try Self.bounded("osVersion", osVersion),
            appVersion: try Self.bounded("applicationVersion", applicationVersion),
            sdkVersion: try Self.bounded("sdkVersion", sdkVersion),
            deviceModel: try Self.bounded("deviceModel", deviceModel)
        )
    }

    /// Whether the operating system allows notifications; nil when it was not asked or the client does not say.
    var osPushEnabled: Bool? {
        switch pushSettings?.authorizationStatus {
        case "denied": false
        case "authorized", "provisional", "ephemeral": true
        default: pushSettings?.areNotificationsEnabled
        }
    }

    /// The app's notification channel on Android: the most important one that the person has not blocked.
    var channel: String? {
        let usable = (pushSettings?.channelSettings ?? []).filter { channel in
            channel.importance != 0 && (1...Self.maximumLength).contains(channel.channelId.utf8.count)
                && !channel.channelId.utf8.contains(0)
        }
        // Reversed, so that the first of equally important channels is taken.
        return usable.reversed().max { ($0.importance ?? .min) < ($1.importance ?? .min) }?.channelId
    }

    private static func bounded(_ field: String, _ raw: String?) throws(APIError) -> String? {
        guard let text = raw?.trimmingCharacters(in: .whitespacesAndNewlines), !text.isEmpty else { return nil }
        guard text.utf8.count <= NamingRule.maximumBytes, text.count <= maximumLength else {
            let rule = "It has at most \(maximumLength) characters, in \(NamingRule.maximumBytes) bytes."
            throw APIError(.badRequest, "tooLong", rule, target: field)
        }
        guard !text.utf8.contains(0) else {
            throw APIError(.badRequest, "invalidCharacter", "It cannot contain the null character.", target: field)
        }
        return text
    }

    /// The time zone as received: an offset in the form of RFC 822 (v3 clients) or an IANA name.
    private static func timeZone(_ raw: String?) throws(APIError) -> String? {
        guard let text = try bounded("timezone", raw) else { return nil }
        guard ZoneName(text) != nil else {
            throw APIError(
                .badRequest, "unknownTimeZone", "A time zone is an offset (+0100) or an IANA name (Europe/Paris).",
                target: "timezone"
            )
        }
        return text
    }
}
