import BelfryInAppRenderer
import BelfryModel
import BelfryRules
import Foundation

/// A message's way to the screen: the app is asked, the page is loaded, everything is looked at again, the intent is
/// stored, and then the page appears (IAM-7, IAM-8). After each wait it asks whether the message is still wanted.
struct InAppPresentationTask: Sendable {
    /// That of the ``InAppShowing``.
    let number: Int

    func run(on engine: isolated DeviceEngine) async {
        if let page = await load(on: engine), await appear(page, on: engine) {
            engine.settle()
            await listen(to: page, on: engine)
        }
        engine.settle()
    }

    /// - Returns: nil when nothing is to be shown after all.
    private func load(on engine: isolated DeviceEngine) async -> (any InAppPresentation)? {
        guard let message = engine.process.inApp.showing(number)?.message else { return nil }
        switch await engine.process.inApp.delegate?.shouldShow(message) {
        case .show, nil: break
        case .veto:
            decide(on: engine) { rules, ticket, _, _ in rules.vetoed(ticket) }
            return nil
        case .defer:
            decide(on: engine) { rules, ticket, _, _ in rules.deferred(ticket) }
            return nil
        }
        guard engine.process.inApp.showing(number) != nil else { return nil }
        guard let page = await prepare(message, on: engine) else { return nil }
        guard engine.process.inApp.showing(number) == nil else { return page }
        await page.close()
        return nil
    }

    /// - Returns: nil for a page that could not be loaded.
    private func prepare(
        _ message: InAppMessage,
        on engine: isolated DeviceEngine
    ) async -> (any InAppPresentation)? {
        do {
            let display = try engine.look { step throws(BelfryError) in InAppDisplay(of: message, in: step) }
            if let page = try await engine.context.platform.inAppPresenter?.prepare(display) { return page }
        } catch is InAppScreenMissing {
            decide(on: engine) { rules, ticket, situation, now in rules.screenMissing(ticket, at: now, in: situation) }
            return nil
        } catch {}
        decide(on: engine) { rules, ticket, situation, _ in rules.loadFailed(ticket, in: situation) }
        return nil
    }

    /// The intent is stored before the page appears, and the display with its event once it is really there.
    ///
    /// - Returns: false when the page is not, or no longer, to be seen.
    private func appear(_ page: any InAppPresentation, on engine: isolated DeviceEngine) async -> Bool {
        let policy = engine.context.configuration.inApp.policy
        let decision = decide(on: engine) { rules, ticket, situation, now in
            rules.mayPresent(ticket, at: now, in: situation, policy: policy)
        }
        guard case .present? = decision, engine.process.inApp.showing(number) != nil else {
            await page.close()
            return false
        }
        engine.process.inApp.showing?.step = .presenting
        engine.process.inApp.showing?.page = page
        let isThere = await page.present()
        guard engine.process.inApp.showing(number) != nil else {
            // It was taken away before it was there.
            await page.close()
            return false
        }
        guard isThere else {
            decide(on: engine) { rules, ticket, situation, now in rules.screenMissing(ticket, at: now, in: situation) }
            return false
        }
        do throws(BelfryError) {
            return try engine.step { step throws(BelfryError) in try appeared(in: &step) }
        } catch {
            // What cannot be counted is not shown: at the next start it counts.
            engine.reporter.failed(error)
            engine.update { $0.inApp.endShowing(.displayFailed, .replaced, &$1) }
            return false
        }
    }

    private func appeared(in step: inout DeviceStep) throws(BelfryError) -> Bool {
        guard let showing = step.process.inApp.showing(number) else { return false }
        guard step.state.inApp.shown(showing.ticket, at: step.now) else {
            step.endShowing(.recalled)
            return false
        }
        let said: [String: AttributeValue] = ["version": .number(Double(showing.ticket.version))]
        try InAppMachine.addEvent(.inAppViewed, of: showing.ticket.name, said, to: &step)
        step.then(.tellInApp(InAppDecisionReport(shown: showing.message, at: step.now)))
        step.process.inApp.showing?.step = .onScreen
        let now = step.now
        if step.process.appState == .foreground { step.process.inApp.showing?.time.begin(at: now) }
        step.process.inApp.showing?.askers = []
        step.then(.answerAskers(showing.askers, nil))
        step.then(.inAppShown(showing.message))
        step.then(.wake)
        return true
    }

    /// Stores one decision about the message. When it goes no further, those who asked for it hear why.
    ///
    /// - Returns: nil for a message that is no longer wanted.
    @discardableResult
    private func decide(
        on engine: isolated DeviceEngine,
        _ body: @Sendable (inout InAppRules, InAppTicket, InAppSituation, Date) -> InAppDecision?
    ) -> InAppDecision? {
        guard let ticket = engine.process.inApp.showing(number)?.ticket else { return nil }
        do throws(BelfryError) {
            return try engine.step { step throws(BelfryError) in
                step.state.inApp.rebase(to: step.now)
                let situation = try InAppMachine.situation(in: &step)
                let decision = body(&step.state.inApp, ticket, situation, step.now)
                try InAppMachine.add(decision.map { [$0] } ?? [], to: &step)
                if case .present? = decision { return decision }
                var reason = InAppReason.loadFailed
                if case .notShown(let finding)? = decision { reason = finding.reason }
                if step.process.inApp.showing(number) != nil { step.endShowing(reason) }
                step.then(.wake)
                return decision
            }
        } catch {
            engine.reporter.failed(error)
            engine.update { process, effects in
                if process.inApp.showing(number) != nil { process.inApp.endShowing(.loadFailed, .replaced, &effects) }
                effects.append(.wake)
            }
            return nil
        }
    }
}

// MARK: - What the person does (IAM-9, IAM-12)

extension InAppPresentationTask {
    /// Hears what the page says until it is gone.
    private func listen(to page: any InAppPresentation, on engine: isolated DeviceEngine) async {
        for await command in page.commands {
            guard engine.process.inApp.showing(number) != nil, !obey(command, on: engine) else { return }
        }
        // It went by itself.
        leave(.replaced, on: engine)
    }

    /// - Returns: whether the message has left the screen.
    private func obey(_ command: InAppBridgeCommand, on engine: isolated DeviceEngine) -> Bool {
        guard let showing = engine.process.inApp.showing(number) else { return true }
        engine.process.inApp.showing?.commands += 1
        if case .close(let closing) = command {
            leave(InAppDismissal(closing), on: engine)
            return true
        }
        guard showing.commands < InAppTap.maximumCommands, let tap = InAppTap(command, in: showing.message) else {
            return false
        }
        do throws(BelfryError) {
            try engine.step { step throws(BelfryError) in
                try InAppMachine.add(tap, on: showing.ticket.name, to: &step)
                if tap.closes { try close(.button, in: &step) }
                step.then(.wake)
            }
        } catch {
            engine.reporter.failed(error)
        }
        // The person sees that it was heard, even if it could not be stored.
        engine.update { process, effects in
            if tap.closes { process.inApp.endShowing(.onScreen, .button, &effects) }
            if let action = tap.action {
                effects.append(.runAction(action, of: showing.message, buttonID: tap.buttonID))
            }
        }
        return tap.closes
    }

    /// The message leaves the screen.
    private func leave(_ how: InAppDismissal, on engine: isolated DeviceEngine) {
        guard engine.process.inApp.showing(number) != nil else { return }
        do throws(BelfryError) {
            try engine.step { step throws(BelfryError) in
                try close(how, in: &step)
                step.then(.wake)
            }
        } catch {
            engine.reporter.failed(error)
        }
        engine.update { $0.inApp.endShowing(.onScreen, how, &$1) }
    }

    private func close(_ how: InAppDismissal, in step: inout DeviceStep) throws(BelfryError) {
        guard let showing = step.process.inApp.showing(number) else { return }
        _ = step.state.inApp.closed(showing.ticket, at: step.now)
        try InAppMachine.addDismissal(showing.time, of: showing.ticket.name, how, to: &step)
    }
}

extension InAppDisplay {
    /// The message as a page of its own.
    init(of message: InAppMessage, in step: DeviceStep) {
        let nonce = step.newID()
        let schemes = step.configuration.inApp.comparedSchemes
        let options = InAppPageOptions(
            bridge: .belfry(nonce: nonce),
            language: step.state.record.system.locale,
            allowsScripts: step.configuration.inApp.allowsScripts,
            linkSchemes: schemes
        )
        let html = InAppPage.make(message.content, type: message.type, options: options)
        self.init(message: message, html: html, nonce: nonce, linkSchemes: schemes)
    }
}

extension InAppDismissal {
    init(_ closing: InAppBridgeCommand.Closing) {
        switch closing {
        case .button: self = .button
        case .close: self = .close
        case .swipe: self = .swipe
        }
    }
}
