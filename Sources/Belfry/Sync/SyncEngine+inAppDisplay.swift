import BelfryInAppRenderer
import BelfryModel
import BelfryRules
import Foundation

/// A message's way to the screen: the app is asked, the page is loaded, everything is looked at again, the intent is
/// stored, and then the page appears (IAM-7, IAM-8). Whatever waits is asked afterwards whether it is still wanted.
extension SyncEngine {
    func beginShowing(_ ticket: InAppTicket) {
        let former = inApp.showing
        var askers: [CheckedContinuation<InAppReason?, Never>] = []
        // It was edited while it was loaded: who asked for it waits for the new version.
        if former?.ticket.messageID == ticket.messageID {
            askers = former?.askers ?? []
            inApp.showing?.askers = []
        }
        endShowing(.edited)
        guard let message = try? storedMessage(ticket) else {
            // The loop finds a message on its way that nobody carries.
            for asker in askers { asker.resume(returning: .loadFailed) }
            return storage.triggers.waker.wake()
        }
        let number = inApp.nextNumber()
        var showing = InAppShowing(number: number, ticket: ticket, message: message)
        showing.askers = askers
        showing.task = Task { await self.show(number) }
        inApp.showing = showing
    }

    private func storedMessage(_ ticket: InAppTicket) throws(BelfryError) -> InAppMessage? {
        let stored = try storage.opened().store.inAppMessage(ticket.messageID)
        let rules = try state().inApp
        return stored.map { message($0, rules) }
    }

    /// The message with this number, if it is still wanted.
    private func showing(_ number: Int) -> InAppShowing? {
        guard let showing = inApp.showing, showing.number == number else { return nil }
        return showing
    }

    private func show(_ number: Int) async {
        if let page = await load(number), await appear(number, page) {
            settle()
            await listen(to: page, number)
        }
        settle()
    }

    /// Hears what the page says until it is gone.
    private func listen(to page: any InAppPresentation, _ number: Int) async {
        for await command in page.commands {
            guard showing(number) != nil, !obey(command, number) else { return }
        }
        // It went by itself.
        leave(number, .replaced)
    }

    /// - Returns: nil when nothing is to be shown after all.
    private func load(_ number: Int) async -> (any InAppPresentation)? {
        guard let message = showing(number)?.message else { return nil }
        switch await inApp.delegate?.shouldShow(message) {
        case .show, nil: break
        case .veto:
            decide(number) { rules, ticket, _, _ in rules.vetoed(ticket) }
            return nil
        case .defer:
            decide(number) { rules, ticket, _, _ in rules.deferred(ticket) }
            return nil
        }
        guard showing(number) != nil else { return nil }
        guard let page = await prepared(message, number) else { return nil }
        guard showing(number) == nil else { return page }
        await page.close()
        return nil
    }

    /// - Returns: nil for a page that could not be loaded.
    private func prepared(_ message: InAppMessage, _ number: Int) async -> (any InAppPresentation)? {
        do {
            if let page = try await platform.inAppPresenter?.prepare(display(of: message)) { return page }
        } catch is InAppScreenMissing {
            decide(number) { rules, ticket, situation, now in rules.screenMissing(ticket, at: now, in: situation) }
            return nil
        } catch {}
        decide(number) { rules, ticket, situation, _ in rules.loadFailed(ticket, in: situation) }
        return nil
    }

    func display(of message: InAppMessage) throws(BelfryError) -> InAppDisplay {
        let nonce = environment.makeUUID().uuidString
        let schemes = configuration.inApp.comparedSchemes
        let options = InAppPageOptions(
            bridge: .belfry(nonce: nonce),
            language: try state().record.system.locale,
            allowsScripts: configuration.inApp.allowsScripts,
            linkSchemes: schemes
        )
        let html = InAppPage.make(message.content, type: message.type, options: options)
        return InAppDisplay(message: message, html: html, nonce: nonce, linkSchemes: schemes)
    }

    /// The intent is stored before the page appears, and the display with its event once it is really there.
    ///
    /// - Returns: false when the page is not, or no longer, to be seen.
    private func appear(_ number: Int, _ page: any InAppPresentation) async -> Bool {
        let policy = configuration.inApp.policy
        let decision = decide(number) { rules, ticket, situation, now in
            rules.mayPresent(ticket, at: now, in: situation, policy: policy)
        }
        guard case .present? = decision, showing(number) != nil else {
            await page.close()
            return false
        }
        inApp.showing?.step = .presenting
        inApp.showing?.page = page
        let isThere = await page.present()
        guard showing(number) != nil else {
            // It was taken away before it was there.
            await page.close()
            return false
        }
        guard isThere else {
            decide(number) { rules, ticket, situation, now in rules.screenMissing(ticket, at: now, in: situation) }
            return false
        }
        return appeared(number)
    }

    private func appeared(_ number: Int) -> Bool {
        guard let showing = showing(number) else { return false }
        let now = environment.now()
        do throws(BelfryError) {
            var draft = try begun()
            guard draft.state.inApp.shown(showing.ticket, at: now) else {
                endShowing(.recalled)
                return false
            }
            let said: [String: AttributeValue] = ["version": .number(Double(showing.ticket.version))]
            try addEvent(.inAppViewed, of: showing.ticket.name, said, to: &draft, now: now)
            draft.inApp.append(.tell(InAppDecisionReport(shown: showing.message, at: now)))
            try commit(draft)
        } catch {
            // What cannot be counted is not shown: at the next start it counts.
            reporter.failed(error)
            endShowing(.displayFailed)
            return false
        }
        inApp.showing?.step = .onScreen
        if appState == .foreground { inApp.showing?.time.begin(at: now) }
        inApp.showing?.askers = []
        for asker in showing.askers {
            asker.resume(returning: nil)
        }
        if let delegate = inApp.delegate { inAppWork.add { await delegate.didShow(showing.message) } }
        waker.wake()
        return true
    }

    /// Stores one step of a message on its way. When it goes no further, those who asked for it hear why.
    ///
    /// - Returns: nil for a message that is no longer wanted.
    @discardableResult
    private func decide(
        _ number: Int,
        _ step: (inout InAppRules, InAppTicket, InAppSituation, Date) -> InAppDecision?
    ) -> InAppDecision? {
        guard let showing = showing(number) else { return nil }
        let now = environment.now()
        var reason = InAppReason.loadFailed
        var decision: InAppDecision?
        do throws(BelfryError) {
            var draft = try begun()
            draft.state.inApp.rebase(to: now)
            let situation = try inAppSituation(of: draft)
            decision = step(&draft.state.inApp, showing.ticket, situation, now)
            try add(decision.map { [$0] } ?? [], to: &draft, now: now)
            try commit(draft)
            if case .present? = decision { return decision }
            if case .notShown(let finding)? = decision { reason = finding.reason }
        } catch {
            reporter.failed(error)
            decision = nil
        }
        if self.showing(number) != nil { endShowing(reason) }
        waker.wake()
        return decision
    }
}

extension InAppDecisionReport {
    /// The message is on the screen.
    init(shown message: InAppMessage, at date: Date) {
        self.init(
            messageID: message.id, campaignID: message.campaignID, version: message.version, at: date, outcome: .shown
        )
    }
}
