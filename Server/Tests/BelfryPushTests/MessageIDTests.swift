import BelfryModel
import BelfryServerTestSupport
import BelfryTestSupport
import Crypto
import Foundation
import Testing

@testable import BelfryPush

struct MessageIDTests {
    @Test("PUSH-5: campaign and device always make the same message id")
    func fixedVectors() throws {
        // Computed with Python's hashlib and uuid.
        let device = try DeviceID("3F2504E0-4F89-41D3-9A0C-0305E82C3301")
        let id = MessageID.make(campaign: try Fixtures.campaign(7), device: device)
        #expect(id.text == "00000000-0007-8a34-8dce-4b6fefc2ccb1")
        let lower = try DeviceID("3f2504e0-4f89-41d3-9a0c-0305e82c3301")
        #expect(MessageID.make(campaign: try Fixtures.campaign(7), device: lower) == id)
        let other = try DeviceID("6f9619ff-8b86-d011-b42d-00c04fc964ff")
        let last = MessageID.make(campaign: try Fixtures.campaign(CampaignID.maximum), device: other)
        #expect(last.text == "ffffffff-ffff-8f8f-916c-15327a8d49e9")
    }

    @Test("MC-8: campaign and contact make the id of a kept message, which differs from a device's")
    func keptMessage() throws {
        // Computed with Python's hashlib and uuid.
        let campaign = try Fixtures.campaign(7)
        #expect(MessageID.make(campaign: campaign, contact: 42).text == "00000000-0007-8e24-8583-f78057d0b2c1")
        #expect(MessageID.make(campaign: campaign, contact: 1).text == "00000000-0007-843f-9a85-8c77fbe9d679")
        let last = MessageID.make(campaign: try Fixtures.campaign(CampaignID.maximum), contact: .max)
        #expect(last.text == "ffffffff-ffff-8667-bc1b-774917dcf673" && last.campaign?.number == CampaignID.maximum)
        let ids = Set((1...2_000).map { MessageID.make(campaign: campaign, contact: $0) })
        #expect(ids.count == 2_000)
    }

    @Test("PUSH-5: a message id contains its campaign, in either case, and no two pairs share one")
    func roundTrip() throws {
        var random = SeededGenerator(seed: 5)
        var ids: Set<MessageID> = []
        for _ in 0..<2_000 {
            let campaign = try Fixtures.campaign(Int64.random(in: 1...CampaignID.maximum, using: &random))
            let bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &random) }
            let device = DeviceID(bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) })
            let id = MessageID.make(campaign: campaign, device: device)
            try #require(MessageID.make(campaign: campaign, device: device) == id)
            try #require(MessageID(id.text) == id)
            try #require(MessageID(id.text.uppercased())?.campaign == campaign)
            ids.insert(id)
        }
        #expect(ids.count == 2_000)
    }

    @Test("ID-4: the recipient tag is short, opaque, and differs with another key")
    func recipientMark() {
        // Computed with Python's hmac.
        let key = SymmetricKey(data: Data(0..<32))
        #expect(RecipientTag.make(contactID: 42, key: key) == "ibkvewEO91kg")
        #expect(RecipientTag.make(contactID: -1, key: key) == "UeF5Pq5m4sMx")
        #expect(RecipientTag.make(contactID: 42, key: key).utf8.count == RecipientTag.length)
        #expect(RecipientTag.make(contactID: 42, key: SymmetricKey(data: Data(1..<33))) != "ibkvewEO91kg")
    }

    @Test("ID-4: the keyed hash of a tag is the library's HMAC, for keys and messages of any length")
    func keyedHash() {
        for keySize in [0, 1, 31, 32, 63, 64, 65, 200] {
            let key = SymmetricKey(data: Data(0..<UInt8(keySize)))
            let prepared = KeyedSHA256(key: key)
            for size in [0, 1, 8, 55, 56, 64, 150] {
                let message = [UInt8](0..<UInt8(size))
                let code = message.withUnsafeBytes { prepared.code(of: $0) }
                #expect(Array(code) == Array(HMAC<SHA256>.authenticationCode(for: message, using: key)))
            }
        }
    }
}
