import BelfryModel
import BelfryPush
import Foundation

/// Validation of what operators send. It finds every error, not only the first (ADM-3).
extension AppService {
    static func parsed(code raw: String, name rawName: String) throws(ServiceError) -> (code: AppCode, name: String) {
        var errors: [FieldError] = []
        var parsed: AppCode?
        do {
            parsed = try AppCode(raw)
        } catch {
            errors.append(FieldError(field: "code", error: error))
        }
        let name = rawName.trimmingCharacters(in: .whitespacesAndNewlines)
        if let error = error(ofName: name) { errors.append(error) }
        guard let code = parsed, errors.isEmpty else {
            try ServiceError.reject(errors)
            throw .invalid("code", "invalidCode", "The code cannot be read.")
        }
        return (code, name)
    }

    /// The name as it will be stored. Throws if it is not valid.
    static func checked(name raw: String) throws(ServiceError) -> String {
        let name = raw.trimmingCharacters(in: .whitespacesAndNewlines)
        if let error = error(ofName: name) { throw .invalidFields(error, others: []) }
        return name
    }

    private static func error(ofName name: String) -> FieldError? {
        guard !name.isNamed(within: maximumNameLength) else { return nil }
        let message =
            "A name has 1 to \(maximumNameLength) characters, at most \(NamingRule.maximumBytes) bytes, and no null "
            + "character."
        return FieldError(field: "name", error: ValueError(code: "invalidLength", message: message))
    }

    func errors(of secret: some ProviderSecret) -> [FieldError] {
        secret.errors + secret.hosts.compactMap { endpointPolicy.error(ofHost: $0.host, field: $0.field) }
    }
}
