import BelfryModel
import Testing

@testable import BelfryServices

struct InAppSelectionTests {
    private static func campaign(_ number: Int64) throws -> CampaignID { try #require(CampaignID(number)) }

    @Test("WIRE-9: messages are those that the device does not have, or has in another version")
    func downloads() throws {
        let (one, two, three) = (try Self.campaign(1), try Self.campaign(2), try Self.campaign(3))
        let selection = InAppSelection(held: [one: 1, two: 1], offered: [one: 1, two: 2, three: 1]) { _ in .ended }
        #expect(selection.downloads == [two, three])
        #expect(selection.recalled == [])
        #expect(selection.held == [one: 1, two: 2, three: 1])
    }

    @Test(
        "IAM-1, IAM-10: a message that is no longer offered stays or is removed by its campaign's status",
        arguments: [
            (InAppSelection.CampaignState.recalled, true, false), (.excluded(wasShown: false), true, false),
            (.excluded(wasShown: true), false, true), (.replaced, true, false), (.kept, false, true),
            (.ended, false, false),
        ]
    )
    func campaignStates(state: InAppSelection.CampaignState, isRecalled: Bool, isHeld: Bool) throws {
        let one = try Self.campaign(1)
        let selection = InAppSelection(held: [one: 3], offered: [:]) { _ in state }
        #expect(selection.recalled == (isRecalled ? [one] : []))
        #expect(selection.held == (isHeld ? [one: 3] : [:]))
        #expect(selection.downloads == [])
        // A device that does not say what it has gets the same response, and may have messages that continue.
        let unsaid = InAppSelection(held: [:], known: [one], offered: [:]) { _ in state }
        #expect(unsaid.recalled == selection.recalled)
        #expect(unsaid.held == (isHeld ? [one: 0] : [:]))
        #expect(InAppSelection(held: unsaid.held, offered: [one: 3]) { _ in state }.downloads == [one])
    }
}
