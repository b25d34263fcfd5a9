import BelfryModel
import Foundation
import Testing

@testable import BelfryServices

@Suite("Reports in events about pushes and in-app messages")
struct EventNotesTests {
    private static func event(
        _ name: EventName, kind: Event.Kind = .internal, _ attributes: String
    ) throws -> Event {
        Event(
            id: try EventID("e"), kind: kind, name: name, timestamp: ServiceWorld.epoch, attributes: attributes
        )
    }

    @Test("SEC-9: reports are parsed before the write that stores them, each with its position")
    func notes() throws {
        let client = try ServiceWorld.client(1)
        let campaign = try #require(CampaignID(5 as Int64))
        let sid = MessageID.make(campaign: campaign, device: client).text
        let foreign = MessageID.make(campaign: campaign, device: try ServiceWorld.client(2)).text
        let report = #"{"campaignId":"\#(campaign)"}"#
        let events = [
            try Self.event(.appStart, "{}"),
            try Self.event(.inAppViewed, report),
            try Self.event(.inAppViewed, kind: .custom, report),
            try Self.event(.pushClick, #"{"sid":"\#(sid)"}"#),
            try Self.event(.pushClick, #"{"sid":"\#(foreign)"}"#),
            try Self.event(.inAppViewed, #"{"messageId":"\#(foreign)"}"#),
            try Self.event(.inAppClick, "not JSON"),
        ]
        let notes = EventNotes.all(of: events, client: client)
        #expect(Set(notes.keys) == [1, 3])
        #expect(notes[1]?.inApp?.campaign == campaign && notes[1]?.inApp?.what == .display && notes[1]?.push == nil)
        #expect(notes[3]?.push?.campaign == campaign && notes[3]?.push?.engagement == .opened)
        #expect(events.map(\.isInAppReport) == [false, true, false, false, false, true, true])
    }
}
