import BelfryInAppRenderer
import BelfryModel
import BelfryRules
import Foundation

/// Passes an action to the app. If the app does not carry it out, the SDK does (IAM-12). An address that runs or reads
/// something on the device is not opened and not passed on.
struct InAppActions {
    let context: DeviceContext
    let feed: Broadcast<InAppActionReport>
    let work: OrderedWork

    /// - Parameter buttonID: nil for the message itself.
    func run(
        _ action: InAppAction,
        of message: InAppMessage,
        buttonID: String?,
        by delegate: (any InAppMessageDelegate)?
    ) {
        let reporter = context.recorder.reporter
        if action.type == .openUrl, InAppLinks.refuses(action.url ?? "") {
            return reporter.report(.inAppLinkRefused(campaignID: message.campaignID))
        }
        feed.send(InAppActionReport(message: message, action: action, buttonID: buttonID))
        let opener = context.platform.linkOpener
        let schemes = context.configuration.inApp.comparedSchemes
        work.add {
            if let delegate, await delegate.handle(action, of: message) { return }
            switch action.type {
            case .openUrl:
                guard let text = action.url, InAppLinks.permits(text, schemes: schemes), let url = URLText.url(text)
                else { return reporter.report(.inAppLinkRefused(campaignID: message.campaignID)) }
                await opener?.open(url)
            case .pushSettings: await opener?.openPushSettings()
            case .close, .event: break
            }
        }
    }
}
