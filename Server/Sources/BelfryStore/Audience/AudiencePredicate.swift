import BelfryModel
import BelfryServerModel

/// A checked predicate of one app, ready for SQL, as of one moment.
package struct AudiencePredicate: Sendable {
    let compiler: AudienceSQL
    let condition: Condition
    /// The numbers of the only devices that can belong to the audience; nil for any.
    var installations: [Int64]?

    /// Whether it uses events, of which a person may have any number: then only a budget limits its cost.
    package var asksForEvents: Bool { condition.asksForEvents }
    /// Whether it uses rows of contacts, which are on other servers than devices where several hold the database.
    var asksForContacts: Bool { condition.asksForContacts }
    /// Whether it uses the last opening of the app, which is in a separate table.
    var asksForOpenings: Bool { condition.asksForOpenings }

    /// The condition over `a`, for a statement on these devices.
    func condition(in scope: AudienceScope) -> SQLFragment {
        let everybody = compiler.fragment(condition, AudienceGate(scope: scope))
        guard let installations else { return everybody }
        let named = SQLFragment.membership("a.device_id", integers: installations, compiler.dialect)
        return .joined([named, everybody], by: "AND")
    }
}

/// A predicate without events: for one device it costs a lookup by key, so any connection may evaluate it.
package struct PlainPredicate: Sendable {
    let predicate: AudiencePredicate

    package init?(_ predicate: AudiencePredicate) {
        guard !predicate.asksForEvents else { return nil }
        self.predicate = predicate
    }
}

extension AudienceSQL {
    /// Throws an error that names an attribute the app has not defined, or a value of the wrong type.
    package func compile(_ predicate: Condition) throws(ValueError) -> AudiencePredicate {
        if let error = errors(of: predicate).first { throw error.error }
        return AudiencePredicate(compiler: self, condition: predicate)
    }

    /// Compiles the audience of a campaign; for a test, only the installations that it names (CAMP-7).
    package func compile(audienceOf draft: CampaignDraft) throws(ValueError) -> AudiencePredicate {
        var audience = try compile(draft.audience)
        audience.installations = draft.installations
        return audience
    }
}
