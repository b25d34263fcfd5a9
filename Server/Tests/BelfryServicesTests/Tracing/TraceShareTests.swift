import BelfryModel
import BelfryPush
import Foundation
import Testing

@testable import BelfryServices

@Suite("The share of traces that are told")
struct TraceShareTests {
    private static func trace(_ number: Int) throws -> UUID {
        let campaign = try #require(CampaignID(7 as Int64))
        return try MessageID.make(campaign: campaign, device: ServiceWorld.client(number)).uuid
    }

    private static func spans(_ trace: UUID) -> [TraceSpan] {
        (0...2).map {
            TraceSpan(
                number: $0, trace: trace, name: "push", begin: ServiceWorld.epoch, end: ServiceWorld.epoch,
                attributes: [:], error: nil
            )
        }
    }

    @Test("FLEET-11: so many of a hundred traces are told, and a larger share tells those of a smaller one too")
    func shares() throws {
        let traces = try (1...4_000).map(Self.trace)
        var smaller: Set<UUID> = []
        let shares = [("0.001%", 0...5), ("10%", 300...500), ("50.5%", 1_850...2_200), ("100%", 4_000...4_000)]
        for (text, range) in shares {
            let share = try #require(TraceShare(text), "\(text)")
            let exported = Set(traces.filter { share.contains($0) })
            #expect(range.contains(exported.count), "\(text): \(exported.count)")
            #expect(smaller.isSubset(of: exported))
            smaller = exported
        }
        #expect(TraceShare("100%") == .all && TraceShare("010.50%") == TraceShare("10.5%"))
    }

    @Test("FLEET-11: the first and the last id are inside all traces, and the last in no smaller share")
    func bounds() throws {
        let least = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 0))
        let last = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0x80, 255, 255, 255, 255, 255, 255, 255))
        #expect(TraceShare.all.contains(least) && TraceShare.all.contains(last))
        let most = try #require(TraceShare("99.999%"))
        #expect(most.contains(least) && !most.contains(last))
    }

    @Test("FLEET-11: a trace is whole or absent, and what is left out counts as no loss")
    func whole() throws {
        let metrics = Metrics()
        let share = try #require(TraceShare("25%"))
        let log = TraceLog(metrics: metrics, share: share)
        let traces = try (1...200).map(Self.trace)
        // Attempts and ends come from several rounds.
        for number in 0...2 { log.add(traces.map { Self.spans($0)[number] }) }
        let exported = Dictionary(grouping: log.take(1_000), by: \.trace)
        #expect(Set(exported.keys) == Set(traces.filter { share.contains($0) }))
        #expect((20...80).contains(exported.count) && exported.values.allSatisfy { $0.map(\.number) == [0, 1, 2] })
        #expect(metrics.values["belfry_trace_spans_dropped_total"] == 0)
    }

    @Test(
        "CLI-2, FLEET-11: a share is a percentage above nothing and up to all",
        arguments: [
            "", "%", "0%", "0.0%", "100.001%", "101%", "1000%", "10", "-1%", "+1%", " 1%", "1 %", "1%%", ".5%", "5.%",
            "1.2.3%", "1,5%", "1e1%", "0.0001%", "١%", "10%\u{301}",
        ]
    )
    func rejected(text: String) {
        #expect(TraceShare(text) == nil)
    }
}
