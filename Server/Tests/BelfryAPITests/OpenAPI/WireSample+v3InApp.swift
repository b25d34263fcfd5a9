import BelfryModel
import BelfryWire
import Foundation

extension WireSample {
    static func v3InAppMessages() throws -> [WireSample] {
        let action = V3InAppAction(
            type: .customEvent, name: "rate", payload: ["sku": "42"], url: "https://www.example.com"
        )
        let message = InlineMessagesResponse.Message(campaignId: "7", html: "<!DOCTYPE html>", viewId: "home")
        return [
            try WireSample("V3InAppMessage", V3InAppMessage(campaignId: "7", html: "<!DOCTYPE html>")),
            try WireSample("OnEventAction", OnEventAction(campaignId: "7", actions: [action])),
            try WireSample("V3InAppAction", action), try WireSample("InlineMessage", message),
            try WireSample(
                "InlineMessagesResponse", InlineMessagesResponse(inlineMessages: [message], oldCampaigns: ["7"])
            ),
        ]
    }
}
