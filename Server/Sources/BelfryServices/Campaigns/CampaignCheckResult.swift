import BelfryCampaigns
import BelfryModel
import BelfryPush
import BelfryServerModel
import BelfryStore

/// The data of an app on which the check of a campaign depends.
struct CampaignBasis: Hashable, Sendable {
    /// The app's attributes and their types.
    let schema: [String: AttributeType]
    let centers: [MessageCenter]
    let allowsInAppScripts: Bool
}

extension CampaignBasis {
    /// Reads the data in a transaction.
    fileprivate init(app: Int64, in connection: any SQLConnection) throws {
        self.init(
            schema: try connection.attributes.schema(app: app), centers: try connection.messageCenters.all(app: app),
            allowsInAppScripts: try connection.apps.find(id: app)?.settings.allowsInAppScripts ?? false
        )
    }
}

/// A draft and the data that its check depends on.
struct CampaignCheckInput: Sendable {
    let draft: CampaignDraft
    let basis: CampaignBasis
    /// The errors in the draft's audience.
    let audienceErrors: [FieldError]
}

extension CampaignCheckInput {
    /// Reads the data in one database snapshot.
    init(at draft: CampaignDraft, app: Int64, in connection: any SQLConnection) throws {
        self.init(
            draft: draft, basis: try CampaignBasis(app: app, in: connection),
            audienceErrors: try AudienceCompiler(connection: connection, app: app).errors(of: draft.audience)
        )
    }
}

/// The result of a campaign's check, made before the transaction that writes the campaign. The transaction accepts it
/// only if neither the draft nor what it refers to has changed since. It checks nothing itself, because the time of a
/// check grows with the draft, and nobody else could write meanwhile (SEC-8).
struct CampaignCheckResult: Sendable {
    /// The draft, or what it refers to, has changed since the check.
    struct Outdated: Error {}

    private let given: CampaignDraft
    private let basis: CampaignBasis
    private let outcome: Result<CampaignDraft, ServiceError>

    /// Checks a draft. The initializer is asynchronous, although it does not wait, so that no transaction can call it.
    ///
    /// - Parameter texts: a compiler with the schema of the input.
    init(_ input: CampaignCheckInput, texts: TextCompiler) async {
        given = input.draft
        basis = input.basis
        do throws(ServiceError) {
            try ServiceError.reject(input.audienceErrors)
            let checked = try CampaignCheck.checked(
                input.draft, centers: input.basis.centers, allowsInAppScripts: input.basis.allowsInAppScripts,
                texts: texts
            )
            outcome = .success(checked)
        } catch {
            outcome = .failure(error)
        }
    }

    /// The draft as it is saved: complete, within the limits, and everything that it refers to exists.
    var checked: CampaignDraft {
        get throws(ServiceError) { try outcome.get() }
    }

    /// The draft as it is saved, according to an earlier check. It runs in the transaction that saves or launches it.
    ///
    /// - Parameter result: nil if no check was expected to be necessary.
    /// - Throws: ``Outdated`` if the draft must be checked again, because the result is about something else.
    static func checked(
        _ draft: CampaignDraft, by result: CampaignCheckResult?, app: Int64, in connection: any SQLConnection
    ) throws -> CampaignDraft {
        guard let result else { throw Outdated() }
        let basis = try CampaignBasis(app: app, in: connection)
        guard try draft.isSame(as: result.given), basis == result.basis else { throw Outdated() }
        return try result.checked
    }
}
