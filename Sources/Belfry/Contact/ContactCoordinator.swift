import BelfryModel
import BelfryRules
import Foundation

/// The app's calls about the contact.
struct ContactCoordinator: Sendable {
    let engine: DeviceEngine

    func edit<Output: Sendable>(_ body: @Sendable (inout RecordEdit) -> Output) async throws(BelfryError) -> Output {
        let field = try engine.context.configuration.standardContactField()
        let output = try await engine.step { step throws(BelfryError) in
            var edit = RecordEdit(
                step.state.record,
                isProven: step.state.sync.link.subject != nil,
                standardField: field,
                suspension: step.state.privacy.rest?.error
            )
            let output = body(&edit)
            guard step.state.privacy.rest == nil else { return output }
            // The app may have discarded the setters' results (REG-8).
            for error in edit.rejections {
                step.then(.report(.editRefused(error)))
            }
            step.state.record = edit.record
            if edit.namesContact, let key = edit.record.contactKey {
                let (changesPerson, hadField) = (edit.changesPerson, edit.hadOtherField)
                let now = step.now
                try ContactMachine.changeContact(in: &step) { state in
                    if changesPerson { state.sync.link.personChanged() }
                    state.sync.link.name(key, field: field, hadOtherField: hadField, now: now)
                    return changesPerson
                }
            }
            step.noticeRecord()
            step.then(.wake)
            return output
        }
        await engine.badge.clearScreenOfFormer()
        return output
    }

    /// The record without an edit (REG-8).
    func record() async throws(BelfryError) -> RecordValues {
        try await engine.read { step in RecordValues(step.state.record) }
    }

    /// Reports a refused key or token: the app may discard the result (REG-8).
    func rejected(_ error: ValueError) -> EditResult {
        engine.reporter.report(.editRefused(error))
        return .refused(error)
    }

    /// Links the device to a known contact; repeated with the same value it changes nothing (ID-3).
    ///
    /// - Parameter field: nil for the configured one.
    func identify(_ key: ContactKey, field: String?) async throws(BelfryError) -> EditResult {
        let standardField = try engine.context.configuration.standardContactField()
        return try await identify { state, now in
            let hadOtherField = state.record.isOther(field: field, standard: standardField)
            let isOther = state.record.setContactKey(
                key, field: field, standard: standardField, wasProven: state.sync.link.subject != nil
            )
            if isOther { state.sync.link.personChanged() }
            if let field {
                _ = state.sync.link.identify(key: key.rawValue, field: field, now: now)
            } else {
                state.sync.link.name(key, field: standardField, hadOtherField: hadOtherField, now: now)
            }
            return isOther
        }
    }

    /// Links the device to the contact that a party identifier names (ID-9).
    func identify(_ party: PartyIdentifier) async throws(BelfryError) -> EditResult {
        try await identify { state, now in
            let isOther = state.record.setNaming(party, wasProven: state.sync.link.subject != nil)
            if isOther { state.sync.link.personChanged() }
            _ = state.sync.link.identify(party, now: now)
            return isOther
        }
    }

    /// Links the device to the person whom a token proves. The record then has no contact key.
    func identify(_ proof: OpenIDProof) async throws(BelfryError) -> EditResult {
        try await identify { state, now in
            let isOther = state.record.setProven(by: proof, former: state.sync.link.subject)
            if isOther { state.sync.link.personChanged() }
            _ = state.sync.link.identify(proof, now: now)
            return isOther
        }
    }

    private func identify(
        _ change: @Sendable (inout DeviceState, Date) -> Bool
    ) async throws(BelfryError) -> EditResult {
        let result = try await engine.step { step throws(BelfryError) -> EditResult in
            if let rest = step.state.privacy.rest { return .refused(rest.error) }
            let now = step.now
            try ContactMachine.changeContact(in: &step) { change(&$0, now) }
            step.noticeRecord()
            step.then(.wake)
            return .accepted
        }
        await engine.badge.clearScreenOfFormer()
        return result
    }

    /// Removes the person's data at once and links a fresh anonymous contact as soon as possible (ID-4).
    func logout() async throws(BelfryError) {
        // First, because a kill in between must not leave pushes of the former user on the screen.
        await engine.badge.clearScreen()
        try await engine.step { step throws(BelfryError) in
            guard step.state.privacy.rest == nil else { return }
            let isAnother = try ContactMachine.changeContact(in: &step) { state in
                let hadContactKey = state.record.contactKey != nil || state.record.isNamedByParty
                state.record.purgePersonalData()
                return state.sync.link.logout(hadContactKey: hadContactKey)
            }
            step.change.scrubs = true
            // Also for an anonymous person, whose contact stays.
            if !isAnother {
                try InAppMachine.clear(in: &step)
                try ContactMachine.showOthersMessages(in: &step)
            }
            step.state.sync.personLeft()
            step.noticeRecord()
            step.process.showsFormer = false
            step.then(.wake)
        }
        await engine.pageWork.finished()
        // A push may have set the former person's number once more before their data was removed.
        await engine.badge.show()
    }
}

extension LinkRules {
    /// Links the key of the standard field. Another configured field does not mean another contact; a key that the app gave
    /// with a field of its own is another.
    fileprivate mutating func name(_ key: ContactKey, field: String?, hadOtherField: Bool, now: Date) {
        _ =
            if hadOtherField {
                identify(key: key.rawValue, field: field, now: now)
            } else {
                named(key: key.rawValue, field: field, now: now)
            }
    }
}
