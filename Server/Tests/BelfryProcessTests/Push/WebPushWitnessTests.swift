import BelfryModel
import BelfryPush
import BelfryServerModel
import BelfryServerTestSupport
import BelfryTestSupport
import Crypto
import Foundation
import Testing

@Suite("Web Push as read by an independent library")
struct WebPushWitnessTests {
    private static let expiresAt = Date(timeIntervalSince1970: 1_800_000_000)

    @Test(
        "PUSH-3: http_ece decrypts messages of every size, and nothing that was changed",
        .timeLimit(.minutes(10))
    )
    func opened() async throws {
        var random = SeededGenerator(seed: RunSettings.seed)
        let campaign = try #require(CampaignID(4_711))
        let room = try WebPushPayloadTemplate.maximumBytes - Self.content(0, using: &random).size(in: campaign)
        let sizes = [0, 1, 15, 16, 17, room - 1, room] + (0..<20).map { _ in Int.random(in: 0...room, using: &random) }
        var browsers: [WitnessBrowser] = []
        var contents: [PushContent] = []
        for size in sizes {
            let content = Self.content(size, using: &random)
            let browser = try WitnessBrowser(using: &random)
            browsers.append(browser.receiving(try body(content, campaign, browser, using: &random)))
            contents.append(content)
        }
        let seed: Comment = "BELFRY_TEST_SEED=\(RunSettings.seed)"
        let messages = try await WitnessBrowser.open(browsers)
        try #require(messages.count == sizes.count, seed)
        for (content, message) in zip(contents, messages) {
            let message = try #require(message, seed)
            let read = try JSONDecoder().decode(Message.self, from: message)
            #expect(read.notification.title == content.title && read.notification.body == content.body, seed)
            #expect(read.belfry.to == Self.recipient && read.belfry.campaign == campaign.description, seed)
        }
        #expect(messages.compactMap { $0?.count }.max() == WebPushPayloadTemplate.maximumBytes)

        let spoilt = try browsers.map { try $0.spoilt(using: &random) }
        let readings = try await WitnessBrowser.open(spoilt)
        #expect(readings.count == sizes.count && readings.allSatisfy { $0 == nil }, seed)
    }

    /// The members of a message that are compared.
    private struct Message: Decodable {
        struct Notification: Decodable { let title: String, body: String }
        struct Marks: Decodable { let to: String, campaign: String }

        let notification: Notification
        let belfry: Marks
    }

    private static let recipient = "ibkvewEO91kg"

    private static func content(_ size: Int, using random: inout SeededGenerator) -> PushContent {
        // Two bytes a letter, and one more where the size is odd.
        let letters = (0..<size / 2).map { _ in "äöüßéñçø".randomElement(using: &random) ?? "ä" }
        return PushContent(title: "Grüße", body: String(letters) + (size % 2 == 1 ? "!" : ""))
    }

    private func body(
        _ content: PushContent, _ campaign: CampaignID, _ browser: WitnessBrowser, using random: inout SeededGenerator
    ) throws -> [UInt8] {
        let template = try WebPushRequestTemplate(content: content, campaign: campaign, expiresAt: Self.expiresAt)
        let device = try DeviceID(UUID().uuidString)
        let keys = EphemeralKeys { count in (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) } }
        return try template.request(
            subscription: try WebPushSubscription(token: browser.token),
            message: MessageID.make(campaign: campaign, device: device), recipient: Self.recipient,
            now: Self.expiresAt.addingTimeInterval(-60), keys: keys,
            common: template.commonHeaders(authorization: "vapid t=a, k=b")
        ).body
    }
}

extension PushContent {
    /// Bytes of the message before it is encrypted.
    fileprivate func size(in campaign: CampaignID) throws -> Int {
        try WebPushPayloadTemplate(content: self, campaign: campaign).size
    }
}
