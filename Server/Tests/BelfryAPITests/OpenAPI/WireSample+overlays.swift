import BelfryModel
import BelfryWire
import Foundation

extension WireSample {
    static func overlays() throws -> [WireSample] {
        let action = OverlayAction(
            type: .customEvent, name: "rate", payload: ["sku": "42"], url: "https://www.example.com"
        )
        let message = InlineMessagesAnswer.Message(campaignId: "7", html: "<!DOCTYPE html>", viewId: "home")
        return [
            try WireSample("OverlayMessage", OverlayMessage(campaignId: "7", html: "<!DOCTYPE html>")),
            try WireSample("OnEventAction", OnEventAction(campaignId: "7", actions: [action])),
            try WireSample("OverlayAction", action), try WireSample("InlineMessage", message),
            try WireSample(
                "InlineMessagesAnswer", InlineMessagesAnswer(inlineMessages: [message], oldCampaigns: ["7"])
            ),
        ]
    }
}
