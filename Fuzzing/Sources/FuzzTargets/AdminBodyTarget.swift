import BelfryModel
import BelfryWire
import Foundation

@testable import BelfryAPI
@testable import BelfryCampaigns
@testable import BelfryPush
@testable import BelfryServerModel
@testable import BelfryServices

/// Request bodies of the admin API, as far as they are processed without a store. The first character of an input
/// chooses the body.
enum AdminBodyTarget {
    // Made once, as in a route.
    private static let messageCenterKeys = KnownKeys(of: MessageCenterChange.self)
    private static let audienceKeys = KnownKeys(of: AudienceCountRequest.self)
    private static let apnsKeys = KnownKeys(of: APNsCredentialsRequest.self)
    private static let campaignKeys = KnownKeys(of: CampaignRequest.self)
    private static let settingsKeys = KnownKeys(of: AppSettingsChange.self)
    private static let fcmKeys = KnownKeys(of: FCMCredentialsRequest.self)

    static func run(_ bytes: [UInt8]) throws {
        var input = FuzzInput(bytes)
        let choice = input.choice(11 + others)
        let body = input.bytes()
        guard (try? JSONReader.check(body)) != nil else { return }
        switch choice {
        case 0: try campaign(body)
        case 1: try settings(body)
        case 2: try read(CampaignPreviewRequest.self, nil, body)
        case 3: try read(TestSendRequest.self, nil, body)
        case 4: try read(CreateAppRequest.self, nil, body)
        case 5: try read(DefineAttributeRequest.self, nil, body)
        case 6: try read(MessageCenterChange.self, messageCenterKeys, body)
        case 7: try read(AudienceCountRequest.self, audienceKeys, body)
        case 8: try fcm(body)
        case 9: try read(APNsCredentialsRequest.self, apnsKeys, body)
        case 10: try read(DefineAttributesRequest.self, nil, body)
        default: try other(choice - 11, body)
        }
    }

    private static let others = 13

    private static func other(_ choice: Int, _ body: [UInt8]) throws {
        switch choice {
        case 0: try read(AudienceSampleRequest.self, nil, body)
        case 1: try read(CampaignApprovalRequest.self, nil, body)
        case 2: try read(CampaignCommentRequest.self, nil, body)
        case 3: try read(ChangeUserRequest.self, nil, body)
        case 4: try read(CreateAdminKeyRequest.self, nil, body)
        case 5: try read(CreateUserRequest.self, nil, body)
        case 6: try read(DraftPreviewRequest.self, nil, body)
        case 7: try read(MergeContactRequest.self, nil, body)
        case 8: try read(RenameAppRequest.self, nil, body)
        case 9: try read(RenameContactRequest.self, nil, body)
        case 10: try read(SetPasswordRequest.self, nil, body)
        case 11: try read(SetUserRoleRequest.self, nil, body)
        default: try webPush(body)
        }
    }

    private static func webPush(_ bytes: [UInt8]) throws {
        guard let request = try decoded(WebPushCredentialsRequest.self, bytes) else { return }
        _ = WebPushCredentials.errors(
            subject: request.subject, privateKey: request.privateKey, trustRoots: request.trustRoots
        )
    }

    private static func read<Body: Decodable & Equatable>(
        _ type: Body.Type, _ keys: KnownKeys?, _ bytes: [UInt8]
    ) throws {
        try? keys?.check(bytes)
        _ = try decoded(type, bytes)
    }

    private static func campaign(_ bytes: [UInt8]) throws {
        try? campaignKeys.check(bytes)
        _ = try decoded(CampaignRequest.self, bytes)
        let zone = DateZone(named: "Europe/Paris")
        guard let request = try? JSONBody.decode(CampaignRequest.self, from: bytes, datesIn: zone),
            let checked = try? CampaignCheck.checked(
                request.draft, centers: [], texts: TextCompiler(schema: Fixtures.schema)
            )
        else { return }
        guard let push = checked.push else { return }
        for variant in [nil] + (push.variants ?? [:]).keys.map(Optional.some) {
            let content = variant.map { push.variant($0) } ?? push
            guard (try? ContentTemplate(content, schema: Fixtures.schema)) != nil else {
                throw Finding("a campaign that is saved can be rendered")
            }
        }
    }

    private static func settings(_ bytes: [UInt8]) throws {
        try? settingsKeys.check(bytes)
        guard let change = try decoded(AppSettingsChange.self, bytes),
            let settings = try? SettingsCheck.settings(AppSettings(), after: change)
        else { return }
        try expect(ZoneName(settings.timeZoneName) != nil, "a zone that is taken is one")
    }

    private static func fcm(_ bytes: [UInt8]) throws {
        try? fcmKeys.check(bytes)
        guard let request = try decoded(FCMCredentialsRequest.self, bytes) else { return }
        _ = FCMCredentials.errors(
            serviceAccount: request.serviceAccount, endpoint: request.endpoint, trustRoots: request.trustRoots
        )
    }
}
