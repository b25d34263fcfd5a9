import BelfryModel
import BelfryServices
import BelfryWire
import Foundation
import Testing

@testable import BelfryAPI

@Suite("The body of an upload")
struct EventsBodyTests {
    private static func body(_ members: String) throws -> IncomingEventBatch {
        try IncomingEventBatch(Array(#"{"events":[]\#(members)}"#.utf8), client: DeviceID(UUID()))
    }

    private static func rows(_ names: some Sequence<Int>) -> String {
        "[" + names.map { #"{"campaignId":"\#($0)"}"# }.joined(separator: ",") + "]"
    }

    @Test("WIRE-6: campaigns are named once, in their order; a repeated key is ignored")
    func campaigns() throws {
        let seen = #","viewedMessages":\#(Self.rows([3, 1, 3])),"clicks":\#(Self.rows([1, 2]))"#
        #expect(try Self.body(seen).campaigns == ["3", "1", "2"])
        #expect(
            try Self.body(seen + #","clicks":\#(Self.rows([4])),"viewedMessages":[]"#).campaigns == ["3", "1", "2"])
        #expect(try Self.body(#","clicks":7,"viewedMessages":\#(Self.rows([5]))"#).campaigns == ["5"])
    }

    @Test("IAM-13: views are counted by campaign, clicks are not; only a true dnd suppresses messages")
    func views() throws {
        let seen = #","clicks":\#(Self.rows([1, 2])),"viewedMessages":\#(Self.rows([3, 1, 3]))"#
        #expect(try Self.body(seen).views == ["3": 2, "1": 1])
        #expect(try Self.body(#","viewedMessages":[{"campaignId":7}]"#).views == [:])
        for (value, isQuiet) in [("true", true), ("false", false), ("null", false), (#""true""#, false), ("[]", false)]
        {
            #expect(try Self.body(#","dnd": \#(value)"#).isQuiet == isQuiet, "\(value)")
        }
        #expect(try !Self.body("").isQuiet)
        #expect(throws: APIError.self) { try Self.body(#","dnd":trve"#) }
    }

    @Test("SEC-2: one response names a limited number of campaigns")
    func bound() throws {
        let (most, half) = (IncomingEventBatch.maximumCampaigns, IncomingEventBatch.maximumCampaigns / 2)
        let many = #","viewedMessages":\#(Self.rows(0..<half)),"clicks":\#(Self.rows(0..<(2 * most)))"#
        #expect(try Self.body(many).campaigns == (0..<most).map { String($0) })
    }

    @Test("SEC-2: any number of repeated keys costs no more than their bytes", .timeLimit(.minutes(15)))
    func repetition() throws {
        let rows = Self.rows(100_000..<120_000)
        let endless = String(repeating: #","clicks":[]"#, count: 40_000)
        let body = try Self.body(#","viewedMessages":\#(rows)"# + endless)
        #expect(body.campaigns.count == IncomingEventBatch.maximumCampaigns)
    }

    @Test("SEC-2: a batch with more events than its reader accepts is refused as a whole")
    func maximumEvents() throws {
        let client = DeviceID(UUID())
        let bytes = Array(#"{"events":[\#(Array(repeating: "{}", count: 3).joined(separator: ","))]}"#.utf8)
        #expect(try IncomingEventBatch(bytes, client: client, maximumEvents: 3).rejected.count == 3)
        #expect(throws: APIError.self) { try IncomingEventBatch(bytes, client: client, maximumEvents: 2) }
    }

    @Test(
        "EVT-8: an event whose attributes hold the null character is rejected alone",
        arguments: [#"{"a\u0000b":1}"#, #"{"city":"Par\u0000is"}"#, #"{"n":null,"city":"\u0000"}"#]
    )
    func nullCharacter(attributes: String) throws {
        for id in [#""id":"e1","#, ""] {
            let bad =
                #"{\#(id)"type":"custom","name":"n","timestamp":"\#(EventTests.at)","attributes":\#(attributes)}"#
            let bytes = Array(#"{"events":[\#(bad),\#(EventTests.event("e2"))]}"#.utf8)
            let batch = try IncomingEventBatch(bytes, client: DeviceID(UUID()))
            #expect(batch.events.map(\.id.rawValue) == ["e2"])
            #expect(batch.rejected.map(\.index) == [0])
            #expect(batch.rejected.first?.reason.hasPrefix("attributes") == true)
        }
    }
}
