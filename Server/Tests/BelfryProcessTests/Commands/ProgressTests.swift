import BelfryAPI
import BelfryModel
import BelfryServerModel
import Testing

@testable import BelfryCommand

@Suite("Progress of a long command")
struct ProgressTests {
    private static func answer(
        _ status: CampaignStatus, pending: Int = 0, accepted: Int = 0, suppressed: Int = 0, rejected: Int = 0
    ) throws -> CampaignResponse {
        var counts = CampaignCounts()
        counts.pending = pending
        counts.accepted = accepted
        counts.suppressed = suppressed
        counts.rejected = rejected
        counts.audience = pending + accepted + suppressed + rejected
        var campaign = Campaign(
            id: try #require(CampaignID(12)), app: try AppCode("shop"),
            draft: CampaignDraft(name: "Sale", kind: .push, audience: .everyone), status: status,
            createdAt: try #require(Timestamp.date("2026-11-21T12:00:00Z"))
        )
        if status == .scheduled { campaign.scheduledAt = Timestamp.date("2026-12-01T09:00:00Z") }
        return CampaignResponse(campaign: campaign, counts: counts)
    }

    @Test("CLI-4: a bar grows with progress, is full only at 100 percent, and never reaches the terminal's edge")
    func bar() {
        for columns in [0, 1, 5, 20, 40, 80, 200] {
            for text in ["", "540000 pending, 450000 accepted", String(repeating: "x", count: 300)] {
                var filledBefore = 0
                for percent in -1...101 {
                    let line = ProgressBar(percent: percent, text: text).line(columns: columns)
                    let comment: Comment = "\(columns) columns, \(percent) percent"
                    #expect(line.count <= max(columns - 1, 0), comment)
                    let filled = line.count { $0 == "█" }
                    #expect(filled >= filledBefore, comment)
                    filledBefore = filled
                    // A bar that is cut off shows no empty cells.
                    guard line.contains("]") else { continue }
                    #expect(line.contains("░") == (percent < 100), comment)
                }
            }
        }
        #expect(ProgressBar(percent: 50, text: "3 pending").line(columns: 30) == "[█████░░░░░]  50 %  3 pending")
    }

    @Test("CLI-4, LED-3: percent counts final states; a campaign that still runs is never full")
    func percent() throws {
        func percent(_ answer: CampaignResponse) -> Int { CampaignProgress(answer).percent }
        #expect(percent(try Self.answer(.sending)) == 0)
        #expect(percent(try Self.answer(.sending, pending: 55, accepted: 40, suppressed: 5)) == 45)
        #expect(percent(try Self.answer(.sending, accepted: 100)) == 99, "more may be planned")
        #expect(percent(try Self.answer(.completed, accepted: 100)) == 100)
        #expect(percent(try Self.answer(.completed)) == 100)
        #expect(percent(try Self.answer(.paused, pending: 1, accepted: 2)) == 66)
    }

    @Test("SEC-6: no number of a server ends the command that shows how far something is")
    func numbersOfAnyServer() throws {
        var answer = try Self.answer(.sending)
        for audience in [Int.min, -1, 0, 1, 3, Int.max / 100, Int.max - 1, Int.max] {
            for pending in [Int.min, -1, 0, 1, 2, Int.max / 2, Int.max] {
                (answer.counts.audience, answer.counts.pending) = (audience, pending)
                let percent = CampaignProgress(answer).percent
                #expect((0...99).contains(percent), "\(audience) devices, \(pending) pending")
            }
        }
        (answer.counts.audience, answer.counts.pending) = (Int.max, Int.max / 2)
        #expect(CampaignProgress(answer).percent == 50)
        let shares: [(Double, Int)] = [
            (-.infinity, 0), (-1e308, 0), (0, 0), (0.004, 0), (0.45, 45), (0.999, 99), (1, 100), (1e308, 100),
            (.infinity, 100), (.nan, 0),
        ]
        for (share, percent) in shares { #expect(ProgressBar.percent(share) == percent, "\(share)") }
    }

    @Test("CLI-4: a log gets a line for each tenth and each status, with its figures")
    func lines() throws {
        var written: [String] = []
        var display = ProgressDisplay(columns: { nil }, write: { written.append($0) })
        display.show(CampaignProgress(try Self.answer(.scheduled)))
        for done in 0...100 {
            display.show(CampaignProgress(try Self.answer(.sending, pending: 100 - done, accepted: done)))
        }
        display.show(CampaignProgress(try Self.answer(.completed, accepted: 97, suppressed: 2, rejected: 1)))
        display.end()
        #expect(written.count == 1 + 10 + 1)
        #expect(written.first == "Campaign 12 is scheduled: starts at 2026-12-01T09:00:00.000Z\n")
        #expect(written[5] == "Campaign 12 is sending: 40 %, 60 pending, 40 accepted\n")
        #expect(
            written.last == "Campaign 12 is completed: 100 %, 0 pending, 97 accepted, 2 suppressed, 1 rejected\n"
        )
    }

    @Test("CLI-4: on a terminal one line is overwritten, and left in the end")
    func terminal() throws {
        var written = ""
        var display = ProgressDisplay(columns: { 60 }, write: { written += $0 })
        for done in 0...3 {
            display.show(CampaignProgress(try Self.answer(.sending, pending: 3 - done, accepted: done)))
        }
        display.end()
        let lines = written.split(separator: "\r")
        #expect(lines.count == 4)
        #expect(lines.allSatisfy { $0.contains("\u{1b}[K") && $0.contains("pending") })
        #expect(written.count { $0 == "\n" } == 1 && written.hasSuffix("\n"))
    }

    @Test("CLI-4, PUSH-7: a silent campaign that waits says for what, and until when")
    func silent() throws {
        var answer = try Self.answer(.sending, pending: 2, accepted: 1)
        #expect(CampaignProgress(answer).figures == "2 pending, 1 accepted")
        answer.kind = .silent
        let waits = "2 pending, 1 accepted; a device gets at most 3 silent pushes an hour, so some may wait"
        #expect(CampaignProgress(answer).figures == waits)
        answer.launchedAt = "2026-11-21T12:00:00Z"
        answer.push = PushContent(title: "", body: "", ttlSeconds: 7_200)
        let atTheLatest = try #require(Timestamp.date("2026-11-21T14:00:00Z"))
        #expect(CampaignProgress(answer).figures == "\(waits), until \(Timestamp.text(atTheLatest)) at the latest")
        answer.status = .completed
        answer.counts.pending = 0
        #expect(CampaignProgress(answer).figures == "0 pending, 1 accepted")
    }

    @Test("CLI-4: a campaign is followed while it is scheduled or sending, and no longer")
    func watch() async throws {
        for end in [CampaignStatus.completed, .paused, .cancelled, .draft] {
            var responses = [
                try Self.answer(.scheduled), try Self.answer(.sending, pending: 2),
                try Self.answer(.sending, accepted: 2), try Self.answer(end, accepted: 2),
            ]
            var rests = 0
            var written: [String] = []
            let last = try await CampaignWatch(read: { responses.removeFirst() }, rest: { rests += 1 })
                .run(on: ProgressDisplay(columns: { nil }, write: { written.append($0) }))
            #expect(last.status == end && responses.isEmpty && rests == 3)
            #expect(written.count == 4)
            #expect((CampaignStop(last) == nil) == (end == .completed))
        }
    }
}
