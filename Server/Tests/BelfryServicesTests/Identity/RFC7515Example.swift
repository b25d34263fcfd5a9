import BelfryModel
import BelfryServerModel

@testable import BelfryServices

/// A signature of RFC 7515 with its key. All its examples have the same claims, without an audience.
struct RFC7515Example: Hashable, Sendable {
    let algorithm: SigningAlgorithm
    let key: JSONWebKey
    let token: String

    static let claims =
        "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"
    static let issuer = "joe"
    static let expiry = 1_300_819_380.0

    static let all = [rs256, es256]

    /// Appendix A.2.
    static let rs256 = RFC7515Example(
        algorithm: .rs256,
        key: JSONWebKey(
            kty: "RSA",
            n: "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT"
                + "-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQ"
                + "OS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj"
                + "8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ",
            e: "AQAB"
        ),
        token: "eyJhbGciOiJSUzI1NiJ9.\(claims)."
            + "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdb"
            + "F9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383"
            + "LcOLn6_dO--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWy"
            + "wlVmtVrBp0igcN_IoypGlUPQGe77Rw"
    )

    /// Appendix A.3.
    static let es256 = RFC7515Example(
        algorithm: .es256,
        key: JSONWebKey(
            kty: "EC", crv: "P-256", x: "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
            y: "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"
        ),
        token: "eyJhbGciOiJFUzI1NiJ9.\(claims)."
            + "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
    )
}
