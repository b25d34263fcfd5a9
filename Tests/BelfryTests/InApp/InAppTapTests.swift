import BelfryInAppRenderer
import BelfryModel
import BelfryRules
import BelfryTestSupport
import Foundation
import Testing

@testable import Belfry

/// The commands of a page, and the time for which it is visible.
struct InAppTapTests {
    private let own = InAppMessage(
        id: "m", campaignID: "1", type: .modal,
        content: InAppContent(
            title: "Hi", buttons: [InAppButton(id: "no", text: "No", action: InAppAction(type: .close))]
        )
    )
    private let page = InAppMessage(id: "m", campaignID: "1", type: .html, content: InAppContent(html: "<p>Hi</p>"))

    @Test("IAM-12: the message says what a button does; an unknown button does nothing")
    func buttons() throws {
        let tap = try #require(InAppTap(.click(buttonID: "no"), in: own))
        #expect(tap.action?.type == .close && tap.isClick && tap.closes)
        #expect(InAppTap(.click(buttonID: "other"), in: own) == nil)
        #expect(InAppTap(.click(buttonID: nil), in: own) == nil)
        let marketers = try #require(InAppTap(.click(buttonID: "other"), in: page))
        #expect(marketers.action == nil && marketers.isClick && !marketers.closes)
    }

    @Test("IAM-9: of everything that a press in a marketer's page causes, only its click counts")
    func links() throws {
        let press: [InAppBridgeCommand] = [
            .click(buttonID: "buy"), .event(name: "bought", attributes: [:]), .openLink(url: "https://example.com"),
            .pushSettings, .close(.button),
        ]
        #expect(press.compactMap { InAppTap($0, in: page) }.map(\.isClick) == [true, false, false, false])
        let plain = try #require(InAppTap(.click(buttonID: nil), in: page))
        #expect(plain.isClick && plain.action == nil && plain.buttonID == nil && !plain.closes)
    }

    @Test("IAM-9: the time on the screen is the sum of the visible times, and never falls", arguments: UInt64(1)...20)
    func screenTime(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var time = ScreenTime()
        var now = World.epoch
        var isSeen = false
        var expected: TimeInterval = 0
        var last: TimeInterval = 0
        for _ in 0..<50 {
            let seconds = TimeInterval(Int.random(in: 0...30, using: &generator))
            now += seconds
            if isSeen { expected += seconds }
            #expect(time.total(at: now) == expected)
            #expect(time.total(at: now) >= last)
            last = expected
            isSeen = Bool.random(using: &generator)
            if isSeen { time.begin(at: now) } else { time.end(at: now) }
        }
        time.begin(at: now)
        #expect(time.total(at: now.addingTimeInterval(-3_600)) <= expected + 0.001, "a clock that was set back")
    }

    @Test("PERF-8, EVT-1: only events that a message waits for are passed on; of too many the newest")
    func inbox() throws {
        let inbox = TriggerInbox()
        inbox.setNames(["cart:add"])
        let (awaited, other) = (try EventName("cart:add"), try EventName("cart"))
        #expect(inbox.awaits(awaited) && !inbox.awaits(other))
        let events = (0..<1_500).map { TriggerEvent(name: "cart:add", attributes: ["n": .number(Double($0))]) }
        for event in events { inbox.add([event]) }
        #expect(inbox.take() == Array(events.suffix(TriggerInbox.maximumWaiting)))
        #expect(inbox.take().isEmpty)
    }
}
