import Foundation
import Testing

@testable import BelfryBench

@Suite("The result of the kill benchmark")
struct KillsBenchTests {
    @Test("REL-1: an event that was stored and never acknowledged stands for no acknowledged one")
    func missing() {
        #expect(KillsBench.Sent(count: 40, highest: 39).missing(of: 40) == 0)
        #expect(KillsBench.Sent(count: 60, highest: 59).missing(of: 40) == 0)
        #expect(KillsBench.Sent(count: 40, highest: 59).missing(of: 40) == 20)
        #expect(KillsBench.Sent(count: 20, highest: 19).missing(of: 40) == 20)
        #expect(KillsBench.Sent(count: 39, highest: 39).missing(of: 40) == 1)
    }

    @Test("REL-1: a request of which only a part is stored is counted, whether it was acknowledged or not")
    func half() {
        var sent = KillsBench.Sent()
        sent.add(20, upTo: 19)
        sent.add(13, upTo: 32)
        sent.add(20, upTo: 59)
        #expect(sent.halves == 1)
        #expect(sent.count == 53 && sent.highest == 59)
        #expect(sent.missing(of: 60) == 7)
    }

    @Test("REL-1: the moments of the kills follow from the seed, and are spread")
    func moments() {
        let loads = KillsBench.loads(200, around: .seconds(2), seed: 7)
        let again = KillsBench.loads(200, around: .seconds(2), seed: 7)
        let others = KillsBench.loads(200, around: .seconds(2), seed: 8)
        #expect(loads == again && loads != others)
        #expect(loads.count == 200)
        let seconds = loads.map(\.inSeconds).sorted()
        let (shortest, longest) = (seconds.first ?? 0, seconds.last ?? 0)
        #expect(shortest >= 0.599 && shortest < 1)
        #expect(longest > 3 && longest <= 4.001)
    }

    /// A log of so many frames, and behind them what an earlier one has left. Pages are small here.
    private func log(frames: Int, left: Int) -> Data {
        func frame(_ salts: [UInt8]) -> [UInt8] {
            [UInt8](repeating: 1, count: 8) + salts + [UInt8](repeating: 3, count: 8 + 512)
        }
        let salts: [UInt8] = [9, 8, 7, 6, 5, 4, 3, 2]
        let header: [UInt8] = [0x37, 0x7F, 0x06, 0x82, 0, 0x2D, 0xE2, 0x18, 0, 0, 2, 0, 0, 0, 0, 1]
        var bytes = header + salts + [UInt8](repeating: 0, count: 8)
        for _ in 0..<frames { bytes += frame(salts) }
        for _ in 0..<left { bytes += frame([8, 8, 7, 6, 1, 1, 1, 1]) }
        return Data(bytes)
    }

    @Test("REL-1: of a log counts what the next start has to read, not what an earlier one has left in the file")
    func hotLog() {
        #expect(HotLog(Data()).bytes == 0)
        #expect(HotLog(log(frames: 0, left: 0)).bytes == 0)
        #expect(HotLog(log(frames: 0, left: 5)).bytes == 0)
        #expect(HotLog(log(frames: 3, left: 0)).bytes == 32 + 3 * 536)
        #expect(HotLog(log(frames: 3, left: 5)).bytes == 32 + 3 * 536)
        // The last frame was being written.
        #expect(HotLog(log(frames: 3, left: 0).dropLast()).bytes == 32 + 2 * 536)
    }

    private func report(
        after: Duration = .milliseconds(120), logs: [KillsBench.WriteLog] = [.left(HotLog.least)], lost: Int = 0,
        half: Int = 0
    ) -> KillsBenchReport {
        KillsBenchReport(
            logs.map { KillsBench.Restart(readyAfter: after, log: $0) }, seed: 1, acknowledged: 60, stored: 60,
            lost: lost, half: half
        )
    }

    @Test("REL-1: the target is met with a hot log alone, and without any loss, half request or slow start")
    func met() {
        #expect(report().isMet)
        #expect(report(logs: [.written(HotLog.least)]).isMet)
        #expect(!report(logs: [.left(HotLog.least - 1)]).isMet)
        #expect(!report(logs: [.written(HotLog.least - 1)]).isMet)
        #expect(report(logs: [.left(0), .left(HotLog.least), .left(HotLog.least)]).isMet)
        #expect(!report(logs: [.left(0), .left(0), .left(HotLog.least)]).isMet)
        #expect(!report(after: .milliseconds(1_001)).isMet)
        #expect(!report(lost: 1).isMet)
        #expect(!report(half: 1).isMet)
    }
}
