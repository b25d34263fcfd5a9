import Belfry
import BelfryModel
import Foundation
import Testing

@testable import BelfryPhone

@Suite("What holds an in-app message back, in words", .timeLimit(.minutes(10)))
struct InAppTermsTests {
    private static func trigger(_ filter: Condition?, occurrence: Int? = nil) -> String {
        TriggerWords.text(InAppTrigger(event: "basket:add", filter: filter, occurrence: occurrence))
    }

    private static let triggers: [(Condition?, Int?, String)] = [
        (nil, nil, ""),
        (Condition.everyone, nil, " if it happens"),
        (Condition.attribute("price", .greaterOrEqual(50)), nil, " if its price is at least 50"),
        (Condition.attribute("size", .isIn(["S", "M"])), 2, " if its size is one of “S”, “M”"),
        (Condition.not(.attribute("coupon", .exists(true))), nil, " if it is not so that (its coupon is known)"),
        (
            Condition.all([
                .device(.appVersion, .startsWith("2.")),
                .any([.attribute("sku", .equal("lamp")), .deviceFact(.pushOptIn, .equal(false))]),
            ]), nil,
            " if the phone's app version begins with “2.” and (its sku is “lamp” or the phone may get no pushes)"
        ),
        (Condition.tag("sports"), nil, " if a condition holds that no device can evaluate (it counts as false)"),
    ]

    @Test("CON-15: a trigger is told with its number and its conditions", arguments: triggers)
    func worded(_ filter: Condition?, _ occurrence: Int?, _ words: String) {
        let event = occurrence == nil ? "event" : "2nd event"
        #expect(Self.trigger(filter, occurrence: occurrence) == "on the \(event) basket:add\(words)")
    }

    @Test("CON-15: the number of an event is told as people say it")
    func numbers() {
        let worded = [1, 2, 3, 4, 11, 12, 13, 21, 111, 10_000].map { Self.trigger(nil, occurrence: $0) }
        let numbers = ["", "2nd ", "3rd ", "4th ", "11th ", "12th ", "13th ", "21st ", "111th ", "10000th "]
        #expect(worded == numbers.map { "on the \($0)event basket:add" })
    }

    @Test("CON-15: however many conditions a trigger has, and however deep and long they are, its sentence is bounded")
    func bounds() {
        let long = Condition.attribute(
            String(repeating: "e\u{301}", count: 1_000), .isIn(Array(repeating: AttributeValue.string("x"), count: 500))
        )
        let wide = Condition.all(Array(repeating: long, count: 200))
        #expect(Self.trigger(wide).hasSuffix(" and 194 further conditions hold"))
        #expect(Self.trigger(long).hasSuffix("… is one of “x”, “x”, “x”, “x”, “x”, “x” and 494 more"))
        let deep = (0..<1_000).reduce(Condition.everyone) { inner, _ in .not(inner) }
        #expect(Self.trigger(deep).contains("a further condition holds"))
        let broad = Condition.any(Array(repeating: .all(Array(repeating: wide, count: 6)), count: 6))
        #expect(Self.trigger(broad).unicodeScalars.count == 2_001)
    }

    @Test("CON-15: gap and caps are told as the app has set them")
    func options() {
        var options = InAppOptions()
        let standard = InAppTerms.lines(of: options)
        #expect(
            standard == [
                "From the end of one to the next there is a gap of at least 30 s (IAM-6).",
                "There is no cap: any number is shown in a session and on a day (IAM-6).",
            ]
        )
        options.maximumPerSession = 2
        for (gap, words) in [(0.5, "0.5 s"), (90, "90 s"), (120, "2 min"), (5_400, "90 min"), (86_400, "24 h")] {
            options.minimumGap = gap
            #expect(
                InAppTerms.lines(of: options) == [
                    "From the end of one to the next there is a gap of at least \(words) (IAM-6).",
                    "At most 2 in a session (IAM-6).",
                ]
            )
        }
        options.minimumGap = 0
        options.maximumPerDay = 5
        #expect(
            InAppTerms.lines(of: options) == [
                "One may follow the other at once: the app wants no gap (IAM-6).",
                "At most 2 in a session and 5 on a day (IAM-6).",
            ]
        )
    }

    @Test("CON-15: a message's own terms are told: its time, its delay and its cap, and what does not hold for it")
    func messages() {
        let content = InAppContent(title: "Sale")
        let plain = InAppMessage(
            id: "1", campaignID: "c", type: .modal, trigger: InAppTrigger(event: "screen"), displayLimit: 5,
            displayCount: 1, content: content
        )
        let view = InspectorView.InAppMessageView(plain, nil)
        #expect(view.trigger == "on the event screen" && view.displays == "1 of 5 displays")
        #expect(view.terms == ["A person sees it at most 5 times on this phone (IAM-8)."])
        let timed = InAppMessage(
            id: "2", campaignID: "c", type: .full, trigger: InAppTrigger(event: "screen"),
            startsAt: Date(timeIntervalSince1970: 0), endsAt: Date(timeIntervalSince1970: 86_400), delay: 10,
            content: content
        )
        #expect(
            InAppTerms.lines(of: timed) == [
                "It is not shown before 1970-01-01T00:00:00.000Z.", "It ends at 1970-01-02T00:00:00.000Z.",
                "It comes 10 s after its trigger.", "A person sees it at most once on this phone (IAM-8).",
            ]
        )
        let inline = InAppMessage(
            id: "3", campaignID: "c", type: .inline, viewID: "home", displayLimit: 1_000, content: content
        )
        #expect(InspectorView.InAppMessageView(inline, nil).trigger == "in the view home")
        #expect(InAppTerms.lines(of: inline).last == "Gap and caps do not apply to it.")
        let action = InAppMessage(id: "4", campaignID: "c", type: .action, content: InAppContent(actions: []))
        #expect(InAppTerms.lines(of: action).first == "It runs at most once on this phone (IAM-8).")
    }

    @Test("CON-15: the inspector tells gap and caps of the app that runs")
    func inspector() async throws {
        let phone = Phone(number: 1, world: try .unreachable())
        await phone.perform(PhoneAction(.open))
        let lines = await phone.says(of: "In-app messages")
        #expect(InAppTerms.lines(of: InAppOptions()).allSatisfy(lines.contains), "\(lines)")
        await phone.end()
    }
}
