import BelfryInAppRenderer
import BelfryModel
import BelfryRules
import Foundation

/// What follows when a decision about in-app messages was stored.
extension SyncEngine {
    /// Seconds for which a page that goes holds up a logout, and the page after it.
    static let closeTimeout: TimeInterval = 5

    /// - Parameter former: the state before the step.
    func inAppStored(_ draft: StateDraft, _ change: StoreChange, former: DeviceState) {
        let isWiped = change.purge == .everything
        if draft.changesPerson || isWiped { _ = storage.triggers.take() }
        if draft.swapsInApp || isWiped {
            inAppFeed.purge()
            inlineEnds.send(inApp.inlines.end())
        }
        if !draft.recalledInApp.isEmpty { inlineEnds.send(inApp.inlines.end(draft.recalledInApp)) }
        if !draft.endedInlines.isEmpty {
            inApp.inlines.end(tickets: draft.endedInlines)
            inlineEnds.send(draft.endedInlines)
        }
        if isWiped { endShowing(.personChanged) }
        if let shelf = isWiped ? InAppShelf() : draft.shelf {
            let former = inApp.shelf?.inlines ?? [:]
            inApp.shelf = shelf
            if shelf.inlines != former { inAppFeed.tellInlines() }
            storage.triggers.setNames(shelf.candidates.triggerNames)
        }
        if draft.state.privacy.takesEvents { storage.triggers.add(change.events.compactMap(\.trigger)) }
        if draft.offersInlines { inAppFeed.tellInlines() }
        for effect in draft.inApp {
            perform(effect)
        }
        if draft.state.inApp != former.inApp || draft.shelf != nil { storage.triggers.waker.wake() }
    }

    private func perform(_ effect: InAppEffect) {
        switch effect {
        case .load(let ticket): beginShowing(ticket)
        case .run(let message):
            for action in (message.content.actions ?? []).prefix(InAppLimits.maximumActions) {
                hand(action, of: message)
            }
        case .tell(let report): inAppFeed.tell(report)
        case .drop(let ticket, let reason), .close(let ticket, let reason):
            guard inApp.showing?.ticket == ticket else { return }
            endShowing(reason)
        }
    }

    /// Lets go of the message on the screen, or on its way there; its page goes, too.
    ///
    /// - Parameter reason: for those who asked for it and do not see it yet.
    func endShowing(_ reason: InAppReason, _ how: InAppDismissal = .replaced) {
        guard let showing = inApp.showing else { return }
        inApp.showing = nil
        showing.task?.cancel()
        for asker in showing.askers {
            asker.resume(returning: reason)
        }
        if let page = showing.page {
            let end = environment.now().addingTimeInterval(Self.closeTimeout)
            pageWork.add(until: end, sleep: environment.sleep) { await page.close() }
        }
        guard showing.step == .onScreen, let delegate = inApp.delegate else { return }
        inAppWork.add { await delegate.didClose(showing.message, how: how) }
    }

    /// An action goes to the app. What the app does not do, the SDK does (IAM-12). An address that runs or reads something
    /// on the device goes to nobody.
    ///
    /// - Parameter buttonID: nil for the message itself.
    func hand(_ action: InAppAction, of message: InAppMessage, buttonID: String? = nil) {
        if action.type == .openUrl, InAppLinks.refuses(action.url ?? "") {
            return reporter.report(.inAppLinkRefused(campaignID: message.campaignID))
        }
        inAppFeed.tell(InAppActionReport(message: message, action: action, buttonID: buttonID))
        let delegate = inApp.delegate
        let opener = platform.linkOpener
        let schemes = configuration.inApp.comparedSchemes
        inAppWork.add { [reporter] in
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
