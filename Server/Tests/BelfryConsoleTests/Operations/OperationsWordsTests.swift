import BelfryServices
import Foundation
import Testing

@testable import BelfryConsole

@Suite("CON-10, CON-11: what operators read")
struct OperationsWordsTests {
    private static let now = Date(timeIntervalSince1970: 1_795_000_000)

    @Test("CON-11: queues, sizes and times read as people say them")
    func words() {
        func queue(_ count: Int, _ seconds: TimeInterval?) -> String {
            let oldest = seconds.map { Self.now.addingTimeInterval(-$0) }
            return ServerWords.queue(WorkQueues.Length(count: count, oldest: oldest), now: Self.now)
        }
        #expect(queue(0, nil) == "none" && queue(1, 5) == "1, the oldest for 5 seconds")
        #expect(queue(WorkQueues.maximumCount, 7_200) == "10,000 or more, the oldest for 2 hours")
        #expect(queue(3, -60) == "3, the oldest for 0 seconds", "a clock that was set back")
        #expect(
            [0, 999, 1_500, 12_345_678, 3_000_000_000].map(ServerWords.bytes) == [
                "0 bytes", "999 bytes", "1.5 KB", "12 MB", "3.0 GB",
            ])
        for state in [Readiness.State.ready, .databaseGone, .readOnly, .noRoom, .newerSchema] {
            let (sentence, chip) = ServerWords.readiness(state)
            #expect(sentence.hasSuffix(".") && !chip.word.isEmpty)
            #expect((chip.tone == "good") == (state == .ready))
        }
    }

    @Test("CON-10: lines of the audit log are sentences, and what somebody types finds them")
    func audit() {
        func line(_ actor: String, _ action: String, _ target: String?) -> String {
            let entry = AuditLog.Entry(at: Self.now, actor: actor, app: nil, action: action, target: target)
            return "\(AuditWords.actor(entry.actor)) \(AuditWords.deed(entry))."
        }
        #expect(line("user:anna", "campaign.launch", "12") == "anna launched the campaign 12.")
        #expect(line("root", "app.create", nil) == "The root key made the app.")
        #expect(line("key-7", "credentials.put", "apns") == "The key key-7 stored credentials for apns.")
        #expect(line("user:anna", "something.new", "x") == "anna did 'something.new' to x.")
        #expect(
            line("user:anna", "campaign.recall.fail", "12")
                == "anna recalled the messages of the campaign 12, but could not finish."
        )
        let long = line("root", "read", String(repeating: "a\u{301}", count: 400))
        #expect(long.unicodeScalars.count < 150)
        #expect(AuditWords.actor(typed: " Anna ") == "user:anna" && AuditWords.actor(typed: "root") == "root")
        #expect(AuditWords.actor(typed: "key-7") == "key-7" && AuditWords.actor(typed: "  ") == nil)
        #expect(AuditWords.actor(typed: "user:anna") == "user:anna")
    }

    @Test("CON-3: every change that the console writes down has words of its own")
    func complete() {
        let known = Set(AuditWords.choices.map(\.value))
        let routed = WebConsole.routes.compactMap(\.audit)
        #expect(routed.filter { !known.contains($0) } == [])
    }
}
