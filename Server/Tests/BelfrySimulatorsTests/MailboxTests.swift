import Foundation
import Testing

@testable import BelfrySimulators

@Suite("Mailbox of a device")
struct MailboxTests {
    private let now = MailboxStory.now
    private let kept = MailboxPosting.kept(replaced: false, displaced: false)

    @Test("PUSH-5: a collapse id replaces the push that was not delivered")
    func collapse() {
        var story = MailboxStory()
        let postings = [
            story.post("1", collapseID: "a"),
            story.post("2", collapseID: "b"),
            story.post("3", collapseID: "a"),
        ]
        #expect(postings == [kept, kept, .kept(replaced: true, displaced: false)])
        let opened = story.open()
        #expect(opened == ["2", "3"])
    }

    @Test("PUSH-1: pushes without a collapse id are kept up to the limit, the oldest are dropped first")
    func limit() {
        var story = MailboxStory(limit: 3)
        let postings = ["1", "2", "3", "4"].map { story.post($0) }
        #expect(postings == [kept, kept, kept, .kept(replaced: false, displaced: true)])
        let opened = story.open()
        #expect(opened == ["2", "3", "4"])
        var none = MailboxStory(limit: 0)
        let posting = none.post("5")
        #expect(posting == .discarded)
    }

    @Test("PUSH-1: an expiration of 0 is not stored; a later one is, until then")
    func expiration() {
        let soon = Int(now.timeIntervalSince1970) + 60
        var story = MailboxStory()
        let postings = [
            story.post("never", expiration: 0),
            story.post("past", expiration: soon - 61),
            story.post("minute", expiration: soon),
            story.post("always"),
        ]
        #expect(postings == [.discarded, .discarded, kept, kept])
        var later = story
        let before = story.open(after: 59)
        let after = later.open(after: 61)
        #expect(before == ["minute", "always"])
        #expect(after == ["always"])
    }

    @Test("PUSH-1: nothing is stored for longer than 30 days")
    func retention() {
        var story = MailboxStory()
        let posting = story.post("far", expiration: Int(now.timeIntervalSince1970) + 100 * 86_400)
        #expect(posting == kept)
        let opened = story.open(after: MailboxTimes.retention)
        #expect(opened.isEmpty)
    }

    @Test("PUSH-1: a device that listens gets a push at once")
    func listening() {
        var story = MailboxStory()
        let opened = story.open()
        #expect(opened.isEmpty)
        let posting = story.post("1", expiration: 0)
        #expect(posting == .handOver)
    }

    @Test("PUSH-1: a device that polls keeps unacknowledged pushes, and is online between two polls")
    func polling() {
        var story = MailboxStory()
        let until = now.addingTimeInterval(MailboxTimes.pollGrace)
        let first = story.mailbox.acknowledge(upTo: 0, now: now, until: until)
        let postings = [story.post("1", expiration: 0), story.post("2")]
        #expect(postings == [kept, kept])
        let second = story.mailbox.acknowledge(upTo: 0, now: now, until: until)
        #expect(story.waiting == ["1", "2"])
        let third = story.mailbox.acknowledge(upTo: 1, now: now, until: until)
        #expect(story.waiting == ["2"])
        #expect(first == 0)
        #expect(second == 0)
        #expect(third == 1)
        let gone = story.post("3", expiration: 0, after: MailboxTimes.pollGrace + 1)
        #expect(gone == .discarded)
    }
}

/// Pushes to one mailbox, named by their ids.
struct MailboxStory {
    static let now = Date(timeIntervalSince1970: 1_700_000_000)

    var mailbox = Mailbox<SimulatedNotification>()
    var limit = 32

    var waiting: [String] { mailbox.waiting.map(\.apnsID) }

    mutating func post(
        _ id: String,
        collapseID: String? = nil,
        expiration: Int? = nil,
        after seconds: TimeInterval = 0
    ) -> MailboxPosting {
        let date = Self.now.addingTimeInterval(seconds)
        let push = APNsPush(
            token: DeviceTokenKey(1, 2, 3, 4),
            topic: "org.example.app",
            priority: 10,
            expiration: expiration,
            collapseID: collapseID,
            payload: []
        )
        let notification = SimulatedNotification(
            push,
            sequence: mailbox.nextSequence(),
            apnsID: id,
            environment: .production,
            acceptedAt: date
        )
        return mailbox.post(notification, now: date, limit: limit)
    }

    mutating func open(after seconds: TimeInterval = 0) -> [String] {
        mailbox.open(now: Self.now.addingTimeInterval(seconds)).map(\.apnsID)
    }
}
