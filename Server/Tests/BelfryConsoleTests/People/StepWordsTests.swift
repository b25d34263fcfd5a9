import BelfryServerModel
import Foundation
import Testing

@testable import BelfryConsole
@testable import BelfryServices

@Suite("CON-9: what became of a message is told in the words of its kind")
struct StepWordsTests {
    private static let at = Date(timeIntervalSince1970: 1_800_000_000)

    private static func words(_ kind: CampaignKind, _ steps: [Explanation.Step]) -> [String] {
        StepWords.shown(steps, of: kind).map { StepWords.words($0, of: kind) }
    }

    @Test(
        "CON-9, LED-1: only a push was accepted by a push service",
        arguments: [
            (CampaignKind.push, "The push service accepted it.", "Accepted"),
            (.pushAndMessageCenter, "The push service accepted it.", "Accepted"),
            (.silent, "The push service accepted it.", "Accepted"),
            (.messageCenter, "It was placed in the message center.", "Placed"),
            (.inApp, "The device downloaded it.", "Downloaded"),
        ]
    )
    func acceptance(_ kind: CampaignKind, _ sentence: String, _ word: String) {
        #expect(Self.words(kind, [.init(at: Self.at, what: "accepted", detail: nil)]) == [sentence])
        #expect(StatusChip(deliveryState: "accepted", of: kind) == StatusChip(word: word, tone: "good"))
        #expect(StatusChip(deliveryState: "suppressed", of: kind) == StatusChip(.suppressed))
        #expect(StatusChip(deliveryState: "notInAudience", of: kind).word == "Not in the audience")
        #expect(StatusChip(deliveryState: Explanation.removed, of: kind).word == "No longer known")
    }

    @Test("CON-9, IAM-9: a download of an in-app message is told once, with the version that was downloaded")
    func download() {
        let steps: [Explanation.Step] = [
            .init(at: Self.at, what: "accepted", detail: nil),
            .init(at: Self.at, what: "downloaded", detail: "version 1"),
            .init(at: Self.at, what: "displayed", detail: nil),
        ]
        #expect(Self.words(.inApp, steps) == ["The device downloaded it: version 1", "It was displayed."])
    }
}
