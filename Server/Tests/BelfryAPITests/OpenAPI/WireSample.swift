import BelfryModel
import BelfryServerModel
import BelfryTestSupport
import BelfryWire
import Foundation

@testable import BelfryAPI

/// A wire type with a value in every field, and the schema that describes it.
struct WireSample: Sendable {
    let schema: String
    let json: JSONValue
    /// Fields without a value, which should be none.
    let absent: [String]

    init(_ schema: String, _ value: some Encodable) throws {
        self.schema = schema
        json = try JSONValue(encoding: value)
        absent = Mirror(reflecting: value).children.compactMap { child in
            let mirror = Mirror(reflecting: child.value)
            return mirror.displayStyle == .optional && mirror.children.isEmpty ? child.label : nil
        }
    }
}

extension WireSample {
    static func all() throws -> [WireSample] {
        let parts = [
            try errors(), try device(), try registration(), try inbox(), try apps(), try credentials(), try settings(),
            try campaigns(), try reviews(), try previews(), try composing(), try rehearsals(), try inApp(),
            try inAppSync(),
            try v3InAppMessages(), try push(),
            try statistics(), try people(), try quarantine(), try administration(),
        ]
        return Array(parts.joined())
    }

    private static let at = "2026-11-21T12:00:00.000Z"
    private static let id = "6C9C4F0A-5D6B-4B2E-9B7E-0C5A2E0F2A11"
    private static let attributes: [String: AttributeValue] = ["city": "Paris", "age": 31.5, "vip": true]

    private static func errors() throws -> [WireSample] {
        let detail = ErrorBody.Detail(code: "blank", message: "It cannot be blank.", target: "name")
        return [
            try WireSample("Error", ErrorBody(error: detail, details: [detail])),
            try WireSample("ErrorDetail", detail),
        ]
    }

    private static func device() throws -> [WireSample] {
        let properties = ClientProperties(
            platform: "ios", applicationVersion: "1.0", deviceModel: "iPhone14,2", osVersion: "18.0",
            sdkVersion: "1.0.0", language: "en-US", timezone: "+0100",
            pushSettings: .init(authorizationStatus: "authorized", areNotificationsEnabled: true)
        )
        let event = WireEvent(
            id: "e1", type: "custom", name: "purchase", timestamp: at, attributes: attributes, sessionId: "s1",
            contact: "reference"
        )
        let link = ContactLinkRequest(
            contactFieldId: "3", contactFieldValue: "anna", openIdToken: "a.b.c",
            partyIdentifier: PartyIdentifier(type: "email", name: "primary", number: "a@example.com"), nonce: "n"
        )
        return [
            try WireSample("ClientProperties", properties),
            try WireSample("ContactLinkRequest", link),
            try WireSample(
                "ContactLinkResponse", ContactLinkResponse(contactToken: "a", refreshToken: "b", contactReference: "c")
            ),
            try WireSample("ContactTokenRequest", ContactTokenRequest(refreshToken: "b")),
            try WireSample("ContactTokenResponse", ContactTokenResponse(contactToken: "a")),
            try WireSample(
                "PushTokenRequest", PushTokenRequest(pushToken: "abc", provider: .apns, environment: .sandbox)
            ),
            try WireSample("WebPushKeyResponse", WebPushKeyResponse(publicKey: String(repeating: "B", count: 87))),
            try WireSample("Event", event),
            try WireSample("RejectedEvent", RejectedEvent(index: 0, id: "e1", reason: "name: is missing")),
        ]
    }

    private static func registration() throws -> [WireSample] {
        let party = PartyIdentifier(type: "email", name: "primary", number: "a@example.com")
        let system = SystemProperties(
            timeZone: "Europe/Paris", locale: "fr_FR", platform: "ios", osVersion: "18.0", appVersion: "1.0",
            sdkVersion: "1.0.0", deviceModel: "iPhone14,2"
        )
        let snapshot = RegistrationSnapshot(
            deviceId: id, registrationId: id, revision: 12, contactKey: "anna", partyIdentifier: party,
            pushToken: "abc", pushProvider: .apns, pushEnvironment: .production, pushEnabled: true, osPushEnabled: true,
            attributes: attributes, tags: ["sports"], system: system, lastOpenedAt: at
        )
        let rejected = RejectedField(field: "attributes.shoe", reason: "undefinedAttribute", message: "It is not.")
        let result = RegistrationResult(revision: 11, rejected: [rejected])
        return [
            try WireSample("PartyIdentifier", party), try WireSample("SystemProperties", system),
            try WireSample("RegistrationSnapshot", snapshot), try WireSample("RejectedField", rejected),
            try WireSample(
                "RegistrationResponse",
                RegistrationResponse(registrationId: id, revision: 12, status: .received, registration: result)
            ),
            try WireSample("RegistrationResult", result),
            try WireSample(
                "RegistrationReceipt",
                RegistrationReceipt(registrationId: id, revision: 12, status: .partlyRejected, rejected: [rejected])
            ),
        ]
    }

    private static func apps() throws -> [WireSample] {
        let attribute = AttributeDefinition(key: "city", type: .string)
        let script = WebsiteResponse.Script(name: "belfry.js", integrity: "sha384-abc")
        return [
            try WireSample(
                "WebsiteResponse",
                WebsiteResponse(
                    server: "https://belfry.example.com", version: "1.2.3", scripts: [script],
                    allowedOrigins: ["https://shop.example"], publicKey: "B"
                )
            ),
            try WireSample("WebsiteScript", script),
            try WireSample("CreateAppRequest", CreateAppRequest(code: "shop", name: "Shop")),
            try WireSample("CreateAppResponse", CreateAppResponse(code: "shop", name: "Shop", apiKey: "bk_1")),
            try WireSample("AppListResponse", AppListResponse(apps: [.init(code: "shop", name: "Shop")], cursor: "1")),
            try WireSample("DefineAttributeRequest", DefineAttributeRequest(type: .date)),
            try WireSample("DefineAttributesRequest", DefineAttributesRequest(attributes: [attribute])),
            try WireSample("AttributeDefinition", attribute),
            try WireSample("AttributeListResponse", AttributeListResponse(attributes: [attribute])),
        ]
    }

    private static func settings() throws -> [WireSample] {
        let key = JSONWebKey(
            kty: "EC", kid: "1", use: "sig", alg: "ES256", crv: "P-256", x: "AA", y: "AA", n: "AA", e: "AQAB"
        )
        let openID = OpenIDSettings(issuer: "https://id.example.com", audience: "app", jwks: .init(keys: [key]))
        var settings = AppSettings()
        settings.openID = openID
        settings.contactFields = ["3"]
        settings.contactField = "3"
        settings.allowedOrigins = ["https://www.example.com"]
        settings.eventRetentionDays = 365
        settings.deliveryRetentionDays = 400
        settings.inAppScripts = true
        var change = AppSettingsChange()
        change.anonymousContacts = .set(false)
        change.identity = .set(.verified)
        change.openID = .set(openID)
        change.contactFields = .set(["3"])
        change.contactField = .set("3")
        change.maxBadgeCount = .set(50)
        change.allowedOrigins = .reset
        change.timeZone = .set("Europe/Paris")
        change.eventRetentionDays = .reset
        change.deliveryRetentionDays = .reset
        change.dormantAfterDays = .set(100)
        change.inAppScripts = .set(true)
        change.requiresApproval = .set(true)
        return [
            try WireSample("JSONWebKey", key), try WireSample("OpenIDSettings", openID),
            try WireSample("AppSettingsResponse", AppSettingsResponse(settings)),
            try WireSample("AppSettingsChange", change),
        ]
    }
}
