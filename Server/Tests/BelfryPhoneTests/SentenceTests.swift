import Belfry
import BelfryModel
import BelfryRules
import Foundation
import Testing

@testable import BelfryPhone

/// What the inspector says is for people: no line is the text of a program's error, and numbers are told as people do.
@Suite("The inspector's sentences", .timeLimit(.minutes(10)))
struct SentenceTests {
    private static func failure(_ status: Int?, _ message: String) -> CallFailure {
        CallFailure(status: status, message: message, at: PhoneSystemTests.noon)
    }

    private static func rejected(_ name: String, _ message: String) -> RejectedField {
        RejectedField(field: "attributes.\(name)", reason: "undefinedAttribute", message: message)
    }

    /// Whether a line begins and ends as a sentence does.
    private static func isSentence(_ line: String) -> Bool {
        guard let first = line.unicodeScalars.first, line.unicodeScalars.last == "." else { return false }
        return first.properties.isUppercase || first.properties.numericType != nil
    }

    private static let reports: [(ClientReport, String)] = [
        (
            .eventsSetAside(count: 1, reason: "The name is too long."),
            "One event became a dead letter. The name is too long."
        ),
        (
            .eventsSetAside(count: 2, reason: EventOwners.orphanReason),
            "2 events became dead letters. The contact is no longer known (ID-7)."
        ),
        (.eventsDropped(count: 1, reason: .queueFull), "One event was dropped: the queue is full."),
        (.eventsDropped(count: 1, reason: .tooOld), "One event was dropped: the queue had it for too long."),
        (.eventsDropped(count: 3, reason: .tooOld), "3 events were dropped: the queue had them for too long."),
        (
            .registrationRefused(failure(422, "No record")),
            "The server rejected the registration. The server responded with status 422. It said: No record."
        ),
        (
            .eventsRefused(failure(503, "The server responded with status 503.")),
            "The server rejects the events; they stay in the queue. The server responded with status 503."
        ),
        (
            .linkRefused(failure(nil, "No response: URLError -1004")),
            "The server refused the link. There was no response."
        ),
        (
            .pushTokenRefused(failure(nil, "The response is not from a Belfry server.")),
            "The server refused the push token. The response is not from a Belfry server."
        ),
        (
            .attributesRejected([rejected("shoe", "The app has no shoe."), rejected("hat", "It has none")]),
            "The server did not apply attributes.shoe: The app has no shoe. "
                + "The server did not apply attributes.hat: It has none."
        ),
        (
            .editRefused(ValueError(code: "blank", message: "A tag cannot be blank")),
            "A setter refused its value: A tag cannot be blank."
        ),
    ]

    @Test("CON-15: a report is told in sentences, whatever its number and whoever wrote its reason", arguments: reports)
    func worded(_ report: ClientReport, _ sentence: String) {
        #expect(report.sentence == sentence)
    }

    @Test("CON-15: what has changed in the message centers is told in sentences")
    func centers() {
        let all = MessageCenterUpdate(
            centers: ["Offers", "Primary"], changedMessages: ["1"], removedMessages: ["2", "3"]
        )
        #expect(
            all.sentence == "There are new messages in Offers, Primary. One message has changed. 2 messages are gone."
        )
        #expect(MessageCenterUpdate(centers: [], changedCenters: ["a"]).sentence == "A message center has changed.")
    }

    @Test("CON-15: an error that has no sentence of its own is told without its text")
    func errors() {
        struct Lost: Error {
            let secret = "0123456789abcdef"
        }
        let sentence = ErrorSentence.text(of: Lost())
        #expect(sentence == "That failed, and the phone does not know why (Lost).")
        #expect(ErrorSentence.text(of: PhoneActionError("Open it first")) == "Open it first.")
        #expect(ErrorSentence.whole("") == "No reason was given." && ErrorSentence.whole("Why?") == "Why?")
        let request = TransportRequest(method: "GET", path: "/", headers: [:], body: nil)
        let exchange = Exchange(request, failure: Lost(), from: PhoneSystemTests.noon, to: PhoneSystemTests.noon)
        #expect(exchange.failure == "There was no response." && exchange.isOutage)
        let large = Exchange(
            request, failure: HTTPTransport.Failure.responseTooLarge, from: PhoneSystemTests.noon,
            to: PhoneSystemTests.noon
        )
        #expect(large.failure == "The response was longer than any of a Belfry server.")
    }

    @Test("CON-15: times and displays are told as people do")
    func numbers() {
        let words = [59.0, 3_599, 86_399, 86_400, 172_799, 172_800].map { Duration($0).words }
        #expect(words == ["59 s", "59 min", "23 h", "1 day", "1 day", "2 days"])
        let once = InAppMessage(
            id: "1", campaignID: "c", type: .modal, trigger: InAppTrigger(event: "screen"), displayLimit: 1,
            displayCount: 0, content: InAppContent(title: "Sale")
        )
        #expect(InspectorView.InAppMessageView(once, nil).displays == "0 of 1 display")
        #expect(InAppReason.exhausted(displays: 1, limit: 1).description == "it was shown once, and its limit is 1")
        #expect(InAppReason.sessionCap(1).description == "the session has had its one message")
        #expect(InAppReason.dayCap(2).description == "the day has had its 2 messages")
    }

    @Test("CON-15: whatever a person does with the phone, each line of the inspector is a sentence")
    func lines() async throws {
        let phone = Phone(number: 1, world: try .unreachable())
        let actions = [
            PhoneAction(.buy, name: "lamp"), PhoneAction(.clock, seconds: 9e12), PhoneAction(.timeZone, value: "x"),
            PhoneAction(.open), PhoneAction(.ask), PhoneAction(.answer, on: true), PhoneAction(.login, name: "ann"),
            PhoneAction(.login, name: "eve"), PhoneAction(.attribute, name: "city", value: "Oslo"),
            PhoneAction(.attribute, name: "", value: ""), PhoneAction(.tag, value: "", on: true),
            PhoneAction(.tag, value: "sports", on: true), PhoneAction(.pushSwitch, on: false),
            PhoneAction(.track, name: ""), PhoneAction(.track, name: "newsletter:read"),
            PhoneAction(.product, name: "lamp"), PhoneAction(.buy, name: "lamp"), PhoneAction(.checkout),
            PhoneAction(.tab, name: "inbox"), PhoneAction(.message, name: "gone"),
            PhoneAction(.deleteMessage, name: "gone"), PhoneAction(.refreshInbox), PhoneAction(.resetBadge),
            PhoneAction(.tokenLost), PhoneAction(.airplane, on: true), PhoneAction(.refreshInbox), PhoneAction(.lock),
            PhoneAction(.unlock), PhoneAction(.open), PhoneAction(.logout), PhoneAction(.wipe),
            PhoneAction(.attribute, name: "city", value: "Rome"), PhoneAction(.restart), PhoneAction(.kill),
            PhoneAction(.reinstall),
        ]
        for action in actions {
            await phone.perform(action)
            for section in await phone.inspectorView().sections {
                for line in section.lines { #expect(Self.isSentence(line), "\(section.title): \(line)") }
            }
        }
        await phone.end()
        for line in phone.notes.inspector.lines { #expect(Self.isSentence(line.text), "\(line.text)") }
    }
}
