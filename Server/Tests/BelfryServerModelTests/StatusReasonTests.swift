import BelfryServerModel
import Testing

struct StatusReasonTests {
    @Test("SEC-8: a reason is stored with its cause, and read back with it")
    func roundTrip() {
        let sentence = "Its plan is set aside. Resume or cancel it."
        let reasons = [
            StatusReason(sentence), StatusReason(sentence, cause: .quarantine), StatusReason(sentence, cause: .person),
        ]
        #expect(reasons.map(\.stored) == [sentence, "\(sentence) [quarantine]", "\(sentence) [person]"])
        let read = reasons.map { StatusReason(stored: $0.stored) }
        #expect(read == reasons)
    }

    @Test(
        "SEC-8: words of a push service in a reason are never taken for its cause",
        arguments: [
            "[quarantine]", "[person]", "[none]", "[none] [quarantine]", "Work on it is in quarantine",
            "Work on it is in quarantine [none]", "Paused by an operator.", "Paused by an operator. [person]",
            // One character with the space of a mark behind it.
            "Paused by an operator. \u{0600}", "[quarantine]\u{0301}", "",
        ])
    func words(from outside: String) {
        for sentence in [outside, "APNs: \(outside)", "APNs rejected it: \(outside)", "\(outside) Resume it."] {
            let causes: [StatusReason.Cause?] = [nil, .quarantine, .person]
            for cause in causes {
                let reason = StatusReason(sentence, cause: cause)
                #expect(StatusReason(stored: reason.stored) == reason, "\(reason.stored)")
            }
        }
    }

    @Test(
        "SEC-8, CAMP-2: of a reason that a former version stored the sentence says what it was for",
        arguments: [
            ("Work on it is in quarantine (plan-7). It was tried alone 3 times.", .quarantine),
            ("Paused by an operator.", .person), ("Paused by an operator. No message is placed either.", .person),
            ("Its pushes fail. Work on it is in quarantine", nil), ("[quarantine] is a word", nil),
            ("It was not Paused by an operator.", nil), ("", nil),
        ] as [(String, StatusReason.Cause?)])
    func former(stored: String, cause: StatusReason.Cause?) {
        let reason = StatusReason(stored: stored)
        #expect(reason.sentence == stored && reason.cause == cause)
    }
}
