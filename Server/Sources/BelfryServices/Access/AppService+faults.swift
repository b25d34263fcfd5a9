import BelfryModel
import BelfryPush
import Foundation

/// What is wrong with what operators send: every fault, not the first alone (ADM-3).
extension AppService {
    static func parsed(code raw: String, name rawName: String) throws(ServiceError) -> (code: AppCode, name: String) {
        var faults: [FieldRefusal] = []
        var parsed: AppCode?
        do {
            parsed = try AppCode(raw)
        } catch {
            faults.append(FieldRefusal(field: "code", refusal: error))
        }
        let name = rawName.trimmingCharacters(in: .whitespacesAndNewlines)
        if !name.isNamed(within: maximumNameLength) {
            let message =
                "A name has 1 to \(maximumNameLength) characters, at most \(NamingRule.maximumBytes) bytes, and no null "
                + "character."
            faults.append(FieldRefusal(field: "name", refusal: Refusal(code: "invalidLength", message: message)))
        }
        guard let code = parsed, faults.isEmpty else {
            try ServiceError.refuse(faults)
            throw .invalid("code", "invalidCode", "The code cannot be read.")
        }
        return (code, name)
    }

    func faults(of secret: some ProviderSecret) -> [FieldRefusal] {
        secret.faults + secret.hosts.compactMap { endpointPolicy.fault(ofHost: $0.host, field: $0.field) }
    }
}
