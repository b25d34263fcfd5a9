import BelfryModel
import BelfryServerTestSupport
import BelfryServices
import BelfryStore
import BelfryTestSupport
import Foundation
import Testing

/// A device that was offline reports the same few messages thousands of times in one upload.
struct FoldedReportTests {
    @Test(
        "EVT-3, IAM-9, LED-1, ENG-4: events have the same result together or one by one",
        arguments: Engine.ofEachRun, Endurance.seeds(5, brief: 2))
    func folded(_ engine: Engine, seed: UInt64) async throws {
        let (together, apart) = try await ReportStory.alike(engine)
        var dice = SeededGenerator(seed: seed)
        for size in [1, 40, 400, 200] {
            let events = try together.events(size, using: &dice)
            let places = try await together.upload(events)
            var single: [Int] = []
            for (place, event) in events.enumerated() {
                if try await apart.upload([event]) == [0] { single.append(place) }
            }
            #expect(places == single)
            let (rows, expected) = (try await together.rows(), try await apart.rows())
            #expect(rows == expected)
            #expect(rows.count { $0.hasPrefix("events") } >= size / 2)
        }
    }

    /// One event for each possible report about the story's messages.
    private static func events(of story: ReportStory, _ id: (Int) -> String) throws -> [Event] {
        var tellings: [(EventName, [String: AttributeValue])] = []
        for campaign in story.inApp {
            let named: [String: AttributeValue] = ["campaignId": .string(campaign.description)]
            tellings += [
                (.inAppViewed, named), (.inAppDismiss, named.merging(["seconds": 2]) { $1 }),
                (.inAppClick, named.merging(["buttonId": "buy"]) { $1 }),
                (.inAppClick, named.merging(["buttonId": "close"]) { $1 }),
                (.inAppNotShown, named.merging(["reason": "paused"]) { $1 }),
            ]
        }
        for sid in story.pushes {
            tellings += [(.pushReceived, ["sid": .string(sid)]), (.pushClick, ["sid": .string(sid)])]
        }
        for message in story.messages {
            let named: [String: AttributeValue] = ["messageId": .string(message)]
            tellings += [(.messageCenterDisplay, named), (.messageCenterOpen, named)]
        }
        tellings.append((.sessionStart, [:]))
        return try story.references.flatMap { reference in
            tellings.map { ($0, reference) }
        }.enumerated().map { number, telling in
            let ((name, attributes), reference) = telling
            return Event(
                id: try EventID(id(number)), kind: .internal, name: name,
                timestamp: ServiceWorld.epoch.addingTimeInterval(Double(number)),
                attributes: try JSONText.encode(attributes), contactReference: reference
            )
        }
    }

    @Test(
        "SEC-9: however often an upload reports the same, each row is read and written once",
        arguments: Engine.ofEachRun)
    func statements(_ engine: Engine) async throws {
        let story = try await ReportStory(engine)
        let once = try Self.events(of: story) { "once\($0)" }
        let often = try (0..<(5_500 / once.count + 1)).flatMap { turn in
            try Self.events(of: story) { "often\(turn)-\($0)" }
        }
        #expect(often.count >= 5_500)
        let (first, second) = (CountingDatabase(story.world.database), CountingDatabase(story.world.database))
        // A device's first call does what no later one does.
        _ = try await story.upload(Self.events(of: story) { "before\($0)" })
        _ = try await story.upload(once, to: first)
        _ = try await story.upload(often, to: second)
        func joins(_ written: [SQLText: Int]) -> [SQLText: Int] {
            written.filter { !$0.key.statement.hasPrefix("INSERT INTO events") }
        }
        #expect(joins(second.written) == joins(first.written))
        #expect(joins(first.written).values.reduce(0, +) <= once.count)
    }
}
