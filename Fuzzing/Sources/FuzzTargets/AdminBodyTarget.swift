import BelfryModel
import BelfryRules
import BelfryWire
import Foundation

@testable import BelfryAPI
@testable import BelfryPush
@testable import BelfryServices

/// Bodies of the admin API, as far as they go without a store. The first character of an input chooses one.
enum AdminBodyTarget {
    static func run(_ bytes: [UInt8]) throws {
        var input = FuzzInput(bytes)
        let choice = input.choice(10)
        let body = input.bytes()
        guard (try? JSONReader.check(body)) != nil else { return }
        switch choice {
        case 0: try campaign(body)
        case 1: try settings(body)
        case 2: try read(CampaignPreviewRequest.self, nil, body)
        case 3: try read(TestSendRequest.self, nil, body)
        case 4: try read(CreateAppRequest.self, nil, body)
        case 5: try read(DefineAttributeRequest.self, nil, body)
        case 6: try read(MessageCenterChange.self, .messageCenter, body)
        case 7: try read(AudienceCountRequest.self, .audience, body)
        case 8: try fcm(body)
        default: try read(APNsCredentialsRequest.self, .apns, body)
        }
    }

    private static func read<Body: Decodable & Equatable>(
        _ type: Body.Type, _ keys: KnownKeys?, _ bytes: [UInt8]
    ) throws {
        try? keys?.check(bytes)
        _ = try decoded(type, bytes)
    }

    private static func campaign(_ bytes: [UInt8]) throws {
        try? KnownKeys.campaign.check(bytes)
        guard let request = try decoded(CampaignRequest.self, bytes),
            let draft = try? request.draft(inZoneNamed: "Europe/Paris"),
            let checked = try? CampaignCheck.checked(draft, schema: Fixtures.schema, centers: [])
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
        try? KnownKeys.settings.check(bytes)
        guard let change = try decoded(AppSettingsChange.self, bytes),
            let settings = try? SettingsCheck.settings(AppSettings(), after: change)
        else { return }
        try expect(ZoneName(settings.timeZoneName) != nil, "a zone that is taken is one")
    }

    private static func fcm(_ bytes: [UInt8]) throws {
        try? KnownKeys.fcm.check(bytes)
        guard let request = try decoded(FCMCredentialsRequest.self, bytes) else { return }
        _ = FCMCredentials.faults(
            serviceAccount: request.serviceAccount, endpoint: request.endpoint, trustRoots: request.trustRoots
        )
    }
}
