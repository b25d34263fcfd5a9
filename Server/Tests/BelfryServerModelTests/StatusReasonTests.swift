import BelfryServerModel
import Testing

struct StatusReasonTests {
    @Test("SEC-8: a reason is stored with its cause, and read back with it")
    func roundTrip() {
        let sentence = "Its plan is set aside. Resume or cancel it."
        let reasons = [StatusReason(sentence), StatusReason(sentence, cause: .quarantine)]
        #expect(reasons.map(\.stored) == [sentence, "\(sentence) [quarantine]"])
        let read = reasons.map { StatusReason(stored: $0.stored) }
        #expect(read == reasons)
    }

    @Test(
        "SEC-8: of a reason that a former version stored the sentence says whether it was a quarantine",
        arguments: [
            ("Work on it is in quarantine (plan-7). It was tried alone 3 times.", true),
            ("Paused by an operator.", false), ("Its pushes fail. Work on it is in quarantine", false),
            ("[quarantine] is a word", false), ("", false),
        ])
    func former(stored: String, isQuarantine: Bool) {
        let reason = StatusReason(stored: stored)
        #expect(reason.sentence == stored && (reason.cause == .quarantine) == isQuarantine)
    }
}
