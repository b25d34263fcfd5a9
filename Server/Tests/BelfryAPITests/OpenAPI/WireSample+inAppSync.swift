import BelfryModel
import BelfryWire
import Foundation

@testable import BelfryAPI

extension WireSample {
    static func inAppSync() throws -> [WireSample] {
        let draft = inAppDraft
        let at = "2026-11-21T12:00:00.000Z"
        let message = InAppMessageBody(
            id: "00000000-0001-8c3a-9b7e-0c5a2e0f2a11", version: 2, campaignId: "7", type: draft.type, priority: 5,
            trigger: draft.trigger, viewId: "home", startsAt: at, endsAt: at, displayLimit: 3, displayCount: 1,
            displayEpoch: 2, delaySeconds: 10, content: draft.content
        )
        let response = InAppSyncResponse(
            cursor: "AQ", messages: [message], recalled: [message.id],
            registration: RegistrationResult(revision: 11, rejected: []), pushTokenNeeded: true
        )
        let counts = InAppCounts(
            downloaded: 9, displays: 8, displayedBy: 7, clicks: 6, clickedBy: 5, dismissals: 4,
            clicksByButton: ["buy": 3], notShown: ["anotherShown": 2]
        )
        return [
            try WireSample("InAppMessage", message), try WireSample("InAppSyncResponse", response),
            try WireSample("InAppCounts", counts),
        ]
    }
}
