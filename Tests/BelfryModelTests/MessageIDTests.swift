import BelfryModel
import BelfryTestSupport
import Foundation
import Testing

struct MessageIDTests {
    @Test("PUSH-5: a message id is a UUID of version 8 that contains its campaign", arguments: 1...4)
    func roundTrip(seed: UInt64) throws {
        var dice = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let campaign = try #require(CampaignID(Int64.random(in: 1...CampaignID.maximum, using: &dice)))
            let digest = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &dice) }
            let id = MessageID(campaign: campaign, digest: digest)
            #expect(id.campaign == campaign)
            #expect(MessageID(id.text) == id)
            #expect(MessageID(id.text.uppercased()) == id)
            #expect(id.text == id.text.lowercased())
            #expect(UUID(uuidString: id.text) == id.uuid)
            #expect(id == MessageID(campaign: campaign, digest: digest.prefix(10)))
        }
    }

    @Test("PUSH-5: the bits of version and variant are RFC 9562's, all others are the digest's")
    func layout() throws {
        let campaign = try #require(CampaignID(7))
        let ones = MessageID(campaign: campaign, digest: Array(repeating: 0xff, count: 10))
        #expect(ones.text == "00000000-0007-8fff-bfff-ffffffffffff")
        let zeros = MessageID(campaign: campaign, digest: Array(repeating: 0, count: 10))
        #expect(zeros.text == "00000000-0007-8000-8000-000000000000")
        let last = try #require(CampaignID(CampaignID.maximum))
        #expect(MessageID(campaign: last, digest: []).text == "ffffffff-ffff-8000-8000-000000000000")
    }

    @Test("PUSH-5: an id of another origin contains no campaign")
    func foreign() {
        #expect(MessageID("no uuid") == nil)
        #expect(MessageID("c0ffee00-0000-4000-8000-000000000000")?.campaign == nil)
        #expect(MessageID("00000000-0000-8000-8000-000000000000")?.campaign == nil)
    }

    @Test("PUSH-5: a campaign's number fits into a message id")
    func campaignNumbers() {
        #expect(CampaignID(0) == nil)
        #expect(CampaignID(-1) == nil)
        #expect(CampaignID(CampaignID.maximum + 1) == nil)
        #expect(CampaignID("12")?.description == "12")
        #expect(CampaignID("twelve") == nil)
        #expect(CampaignID("") == nil)
    }
}
