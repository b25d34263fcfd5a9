import BelfryServerModel
import BelfryTestSupport
import Crypto
import Foundation

extension CallStage {
    /// A body that the server takes, with a value in every field that can have one.
    func body(_ schema: String) throws -> JSONValue? {
        switch String(schema.split(separator: "/").last ?? "") {
        case "ClientProperties": return try JSONValue(json: Self.properties)
        case "ContactLinkRequest": return try JSONValue(json: #"{"contactFieldId":3,"contactFieldValue":"anna"}"#)
        case "ContactTokenRequest": return .object(["refreshToken": .string(device.refreshToken ?? "")])
        case "PushTokenRequest":
            return try JSONValue(
                json: #"{"pushToken":"0123456789abcdef","provider":"apns","environment":"production"}"#)
        case "RegistrationSnapshot": return try snapshot()
        case "MessageStateRequest":
            return .object(["state": .string("read"), "contact": .string(device.contactReference ?? "")])
        case "BadgeRequest": return try JSONValue(json: #"{"count":3,"revision":0}"#)
        case "MessageCenterChange": return try JSONValue(json: #"{"label":"News","enabled":true}"#)
        case "EventBatch":
            let event = try event("e-\(UUID().uuidString)")
            return .object(["events": .array([event])])
        case "InlineMessagesRequest":
            return try JSONValue(json: #"{"viewIds":["home"],"clicks":[{"campaignId":"1","buttonId":"go"}]}"#)
        case "CreateAppRequest":
            return .object(["code": .string("a-\(UUID().uuidString)"), "name": .string("Another")])
        case "APNsCredentialsRequest": return try JSONValue(json: try Credentials.body())
        case "FCMCredentialsRequest": return try JSONValue(json: Credentials.fcm())
        case "WebPushCredentialsRequest": return try JSONValue(json: try Credentials.webPush())
        case "CreateAdminKeyRequest":
            return try JSONValue(json: #"{"scope":"read","label":"Reports","expiresAt":"2036-12-01T09:00:00"}"#)
        case "CreateUserRequest":
            return try JSONValue(
                json: """
                    {"name":"anna@example.com","displayName":"Anna","password":"a long password","isOperator":false,
                    "roles":{"shop":"viewer"}}
                    """)
        case "RenameAppRequest": return .object(["name": .string("The shop")])
        case "ChangeUserRequest": return .object(["displayName": .string("Anna A.")])
        case "SetPasswordRequest": return .object(["password": .string("another long password")])
        case "SetUserRoleRequest": return .object(["role": .string("marketer")])
        case "RenameContactRequest": return .object(["to": .string("anna")])
        case "MergeContactRequest": return .object(["into": .string("another")])
        case "DefineAttributeRequest": return .object(["type": .string("string")])
        case "DefineAttributesRequest":
            return try JSONValue(
                json: #"{"attributes":[{"key":"city","type":"string"},{"key":"shoe","type":"number"}]}"#)
        case "AppSettingsChange": return try settings()
        case "CampaignRequest": return try JSONValue(json: Self.campaign)
        case "CampaignCommentRequest": return .object(["text": .string("Looks good.")])
        case "CampaignApprovalRequest":
            return try JSONValue(json: #"{"version":1,"decision":"requested","reason":"Please look."}"#)
        case "AudienceCountRequest": return try JSONValue(json: #"{"audience":{"event":"purchase","within":"P30D"}}"#)
        case "AudienceSampleRequest":
            return try JSONValue(json: #"{"audience":{"everyone":true},"attributes":["shoe"]}"#)
        case "DraftPreviewRequest":
            return try JSONValue(
                json:
                    #"{"campaign":{"name":"S","kind":"push","audience":{"everyone":true},"push":{"title":"T","body":"B"}}}"#
            )
        case "CampaignPreviewRequest": return try JSONValue(json: #"{"deviceIds":["\#(device.id)"],"limit":3}"#)
        case "TestSendRequest": return try JSONValue(json: #"{"deviceIds":["\#(device.id)"]}"#)
        default: return nil
        }
    }

    func event(_ id: String) throws -> JSONValue {
        var event = try JSONValue(
            json:
                #"{"type":"custom","name":"purchase","timestamp":"\#(Self.at)","attributes":{"sku":"42"},"sessionId":"s1"}"#
        )
        event["id"] = .string(id)
        event["contact"] = .string(device.contactReference ?? "")
        return event
    }

    private static let properties = """
        {"platform":"ios","applicationVersion":"1.2.3","deviceModel":"iPhone14,2","osVersion":"17.4",
        "sdkVersion":"3.10.2","language":"en","timezone":"+0100",
        "pushSettings":{"authorizationStatus":"authorized","areNotificationsEnabled":true}}
        """

    private func snapshot() throws -> JSONValue {
        try JSONValue(
            json: """
                {"deviceId":"\(device.id)","registrationId":"\(UUID().uuidString)","revision":5,"contactKey":"anna",
                "partyIdentifier":{"type":"email","name":"primary","number":"a@example.com"},
                "pushToken":"0123456789abcdef","pushProvider":"apns","pushEnvironment":"production","pushEnabled":true,
                "osPushEnabled":true,"attributes":{"city":"Paris"},"tags":["sports"],"timeZone":"Europe/Paris",
                "locale":"fr_FR","platform":"ios","osVersion":"18.0","appVersion":"1.0","sdkVersion":"1.0.0",
                "deviceModel":"iPhone14,2","lastOpenedAt":"\(Self.at)"}
                """
        )
    }

    private static let campaign = """
        {"name":"Sale","kind":"pushAndMessageCenter","audience":{"all":[{"everyone":true},{"tag":"a"}]},
        "push":{"title":"Hi","subtitle":"Now","body":"There","imageUrl":"https://example.com/a.png","sound":"default",
        "action":{"type":"openUrl","url":"app://x"},"buttons":[{"id":"a","text":"A"}],"collapseId":"sale",
        "ttlSeconds":60,"priority":5,"custom":{"sku":"42"},"category":"offers","threadId":"sale",
        "interruptionLevel":"active","relevanceScore":0.25,"targetContentId":"sale","filterCriteria":"shopping",
        "androidChannel":"news","androidVisibility":"public","analyticsLabel":"winter-sale",
        "badge":{"op":"increment","value":1},"defaults":{"city":"you"},"variants":{"fr":{"title":"Salut"}}},
        "messageCenter":{"center":"Primary","subject":"Hi","message":"There","iconUrl":"https://example.com/a.png",
        "deeplinkUrl":"app://x","richHtml":"<p>Hi</p>","expiresAt":"2027-01-01T00:00:00","custom":{"sku":"42"},
        "defaults":{"city":"you"},"variants":{"fr":{"subject":"Salut"}}},
        "schedule":{"at":"\(at)","quietHours":{"from":"02:00","to":"03:00","then":"delay"},
        "frequencyCap":{"count":100,"within":"P7D"},"expiresAt":"2027-01-01T00:00:00","ratePerSecond":1000}}
        """

    /// One of the other kind, with a value in every field that its type may have.
    static let inAppCampaign = """
        {"name":"Sale","kind":"inApp","audience":{"everyone":true},
        "inApp":{"type":"modal","priority":5,"trigger":{"event":"purchase","occurrence":2,
        "where":{"all":[{"attribute":"price","op":">","value":10},{"device":"platform","op":"==","value":"ios"}]}},
        "startsAt":"2026-11-01T00:00:00","endsAt":"2027-01-01T00:00:00","displayLimit":3,"delaySeconds":10,
        "content":{"title":"Hi","body":"There","imageUrl":"https://example.com/a.png","imageAlt":"A house",
        "buttons":[{"id":"go","text":"Go","action":{"type":"event","name":"bonus","attributes":{"sku":"42"}}}],
        "action":{"type":"openUrl","url":"app://x"},"layout":"titleImageBody",
        "colors":{"background":"#FFFFFF","text":"#000000","button":"#000000","buttonText":"#FFFFFF",
        "dark":{"background":"#000000","text":"#FFFFFF","button":"#FFFFFF","buttonText":"#000000"}}},
        "variants":{"fr":{"title":"Salut","buttons":{"go":"Va"}}},"defaults":{"city":"you"}}}
        """

    private func settings() throws -> JSONValue {
        let key = try P256.Signing.PrivateKey(rawRepresentation: Data(1...32)).publicKey.rawRepresentation
        return try JSONValue(
            json: """
                {"anonymousContacts":true,"identity":"open","contactFields":["3","email"],"maxBadgeCount":50,
                "allowedOrigins":["https://www.example.com"],"timeZone":"Europe/Paris","eventRetentionDays":365,
                "deliveryRetentionDays":400,"dormantAfterDays":100,"inAppScripts":false,"requiresApproval":false,
                "openID":{"issuer":"https://id.example.com","audience":"app","claim":"sub",
                "jwks":{"keys":[{"kty":"EC","kid":"k1","use":"sig","alg":"ES256","crv":"P-256",
                "x":"\(base64URL(key.prefix(32)))","y":"\(base64URL(key.suffix(32)))"}]}}}
                """
        )
    }
}
