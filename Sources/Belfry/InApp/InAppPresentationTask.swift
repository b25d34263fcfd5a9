import BelfryInAppRenderer
import BelfryModel
import BelfryRules
import Foundation

/// Presents a message: the app is asked, the page is loaded, everything is checked again, the intent is stored, and
/// then the page appears (IAM-7, IAM-8). After each wait it checks whether the message is still wanted.
struct InAppPresentationTask: Sendable {
    /// The number of the message's ``ActiveInAppPresentation``.
    let number: Int

    func run(on engine: isolated DeviceEngine) async {
        if let page = await load(on: engine), await appear(page, on: engine) {
            engine.resumeIdleWaiters()
            await listen(to: page, on: engine)
        }
        engine.resumeIdleWaiters()
    }

    /// - Returns: nil when there is no longer anything to show.
    private func load(on engine: isolated DeviceEngine) async -> (any InAppPresentation)? {
        guard let message = engine.process.inApp.presentation(number)?.message else { return nil }
        switch await engine.process.inApp.delegate?.shouldShow(message) {
        case .show, nil: break
        case .veto:
            decide(on: engine) { rules, id, _, _ in rules.vetoed(id) }
            return nil
        case .defer:
            decide(on: engine) { rules, id, _, _ in rules.deferred(id) }
            return nil
        }
        guard engine.process.inApp.presentation(number) != nil else { return nil }
        guard let page = await prepare(message, on: engine) else { return nil }
        guard engine.process.inApp.presentation(number) == nil else { return page }
        await page.close()
        return nil
    }

    /// - Returns: nil for a page that could not be loaded.
    private func prepare(
        _ message: InAppMessage,
        on engine: isolated DeviceEngine
    ) async -> (any InAppPresentation)? {
        do {
            let display = try engine.read { step throws(BelfryError) in InAppDisplay(of: message, in: step) }
            if let page = try await engine.context.platform.inAppPresenter?.prepare(display) { return page }
        } catch is InAppScreenMissing {
            decide(on: engine) { rules, id, situation, now in rules.screenMissing(id, at: now, in: situation) }
            return nil
        } catch {}
        decide(on: engine) { rules, id, situation, _ in rules.loadFailed(id, in: situation) }
        return nil
    }

    /// The intent is stored before the page appears, and the display with its event once it is really there.
    ///
    /// - Returns: false when the page is not, or no longer, on the screen.
    private func appear(_ page: any InAppPresentation, on engine: isolated DeviceEngine) async -> Bool {
        let policy = engine.context.configuration.inApp.policy
        let decision = decide(on: engine) { rules, id, situation, now in
            rules.mayPresent(id, at: now, in: situation, policy: policy)
        }
        guard case .present? = decision, engine.process.inApp.presentation(number) != nil else {
            await page.close()
            return false
        }
        engine.process.inApp.presentation?.step = .presenting
        engine.process.inApp.presentation?.page = page
        let isThere = await page.present()
        guard engine.process.inApp.presentation(number) != nil else {
            // It was removed before it appeared.
            await page.close()
            return false
        }
        guard isThere else {
            decide(on: engine) { rules, id, situation, now in rules.screenMissing(id, at: now, in: situation) }
            return false
        }
        do throws(BelfryError) {
            return try engine.step { step throws(BelfryError) in try appeared(in: &step) }
        } catch {
            // A display that cannot be counted is ended: at the next start it counts.
            engine.reporter.failed(error)
            engine.update { $0.inApp.endPresentation(.displayFailed, .replaced, &$1) }
            return false
        }
    }

    private func appeared(in step: inout DeviceStep) throws(BelfryError) -> Bool {
        guard let presentation = step.process.inApp.presentation(number) else { return false }
        guard step.state.inApp.shown(presentation.id, at: step.now) else {
            step.endPresentation(.recalled)
            return false
        }
        let said: [String: AttributeValue] = ["version": .number(Double(presentation.id.version))]
        try InAppMachine.addEvent(.inAppViewed, of: presentation.id.name, said, to: &step)
        step.then(.tellInApp(InAppDecisionReport(shown: presentation.message, at: step.now)))
        step.process.inApp.presentation?.step = .onScreen
        let now = step.now
        if step.process.appState == .foreground { step.process.inApp.presentation?.time.begin(at: now) }
        step.process.inApp.presentation?.askers = []
        step.then(.finishAskers(presentation.askers, nil))
        step.then(.inAppShown(presentation.message))
        step.then(.wake)
        return true
    }

    /// Stores one decision about the message. If the presentation ends here, callers that asked for it get the reason.
    ///
    /// - Returns: nil for a message that is no longer wanted.
    @discardableResult
    private func decide(
        on engine: isolated DeviceEngine,
        _ body: @Sendable (inout InAppRules, InAppPresentationID, InAppSituation, Date) -> InAppDecision?
    ) -> InAppDecision? {
        guard let id = engine.process.inApp.presentation(number)?.id else { return nil }
        do throws(BelfryError) {
            return try engine.step { step throws(BelfryError) in
                step.state.inApp.rebase(to: step.now)
                let situation = try InAppMachine.situation(in: &step)
                let decision = body(&step.state.inApp, id, situation, step.now)
                try InAppMachine.add(decision.map { [$0] } ?? [], to: &step)
                if case .present? = decision { return decision }
                var reason = InAppReason.loadFailed
                if case .notShown(let finding)? = decision { reason = finding.reason }
                if step.process.inApp.presentation(number) != nil { step.endPresentation(reason) }
                step.then(.wake)
                return decision
            }
        } catch {
            engine.reporter.failed(error)
            engine.update { process, effects in
                if process.inApp.presentation(number) != nil {
                    process.inApp.endPresentation(.loadFailed, .replaced, &effects)
                }
                effects.append(.wake)
            }
            return nil
        }
    }
}

// MARK: - The page's commands (IAM-9, IAM-12)

extension InAppPresentationTask {
    /// Performs the page's commands until the page is gone.
    private func listen(to page: any InAppPresentation, on engine: isolated DeviceEngine) async {
        for await command in page.commands {
            guard engine.process.inApp.presentation(number) != nil, !obey(command, on: engine) else { return }
        }
        // The page is gone without a command.
        leave(.replaced, on: engine)
    }

    /// Performs a command of the page.
    ///
    /// - Returns: whether the message has left the screen.
    private func obey(_ command: InAppBridgeCommand, on engine: isolated DeviceEngine) -> Bool {
        guard let presentation = engine.process.inApp.presentation(number) else { return true }
        engine.process.inApp.presentation?.commands += 1
        if case .close(let closing) = command {
            leave(InAppDismissal(closing), on: engine)
            return true
        }
        guard presentation.commands < InAppTap.maximumCommands,
            let tap = InAppTap(command, in: presentation.message)
        else { return false }
        do throws(BelfryError) {
            try engine.step { step throws(BelfryError) in
                try InAppMachine.add(tap, on: presentation.id.name, to: &step)
                if tap.closes { try close(.button, in: &step) }
                step.then(.wake)
            }
        } catch {
            engine.reporter.failed(error)
        }
        // The person must see that the press had an effect, even if it could not be stored.
        engine.update { process, effects in
            if tap.closes { process.inApp.endPresentation(.onScreen, .button, &effects) }
            if let action = tap.action {
                effects.append(.runAction(action, of: presentation.message, buttonID: tap.buttonID))
            }
        }
        return tap.closes
    }

    /// The message leaves the screen.
    private func leave(_ how: InAppDismissal, on engine: isolated DeviceEngine) {
        guard engine.process.inApp.presentation(number) != nil else { return }
        do throws(BelfryError) {
            try engine.step { step throws(BelfryError) in
                try close(how, in: &step)
                step.then(.wake)
            }
        } catch {
            engine.reporter.failed(error)
        }
        engine.update { $0.inApp.endPresentation(.onScreen, how, &$1) }
    }

    private func close(_ how: InAppDismissal, in step: inout DeviceStep) throws(BelfryError) {
        guard let presentation = step.process.inApp.presentation(number) else { return }
        _ = step.state.inApp.closed(presentation.id, at: step.now)
        try InAppMachine.addDismissal(presentation.time, of: presentation.id.name, how, to: &step)
    }
}

extension InAppDisplay {
    /// Renders the page of a message.
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
