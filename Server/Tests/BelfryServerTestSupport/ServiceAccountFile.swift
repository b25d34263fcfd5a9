import Foundation

/// The file of a Google service account. Its key was made for these tests and opens nothing.
package enum ServiceAccountFile {
    package static let projectID = "shop-4711"
    package static let privateKeyID = "0123456789abcdef0123456789abcdef01234567"
    package static let clientEmail = "push@shop-4711.iam.gserviceaccount.com"
    package static let tokenURI = "https://oauth2.googleapis.com/token"

    /// - Parameter changes: fields with another value; a nil leaves one out.
    package static func json(_ changes: [String: String?] = [:]) -> String {
        var fields: [String: String?] = [
            "type": "service_account", "project_id": projectID, "private_key_id": privateKeyID,
            "private_key": privateKey, "client_email": clientEmail, "client_id": "1234567890",
            "auth_uri": "https://accounts.google.com/o/oauth2/auth", "token_uri": tokenURI,
            "universe_domain": "googleapis.com",
        ]
        fields.merge(changes) { $1 }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        guard let data = try? encoder.encode(fields.compactMapValues(\.self)) else { return "" }
        return String(decoding: data, as: UTF8.self)
    }

    /// RSA, 2048 bits, in PKCS#8.
    package static let privateKey = """
        -----BEGIN PRIVATE KEY-----
        MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQDFl8uLBYz6pFoL
        K4OFEaclsFYAxcgXmhyx8f+TJMjsgCOAKMzFucaxDuBId3SFrrLNBM5BQUWgk22I
        aeXykgvWSqDbml0l9kh00sIaZ418bDxTWaEcCCMbiWERnnPnECw1abAnhXoxgUSQ
        QJGm9Uw6eLNGtQcvXju10Og90WRGIhRPA/tRqxMrg4GtBE6ab8rIjvRrZLdsIUxs
        CEts5DqgFABdSHn7m3EhrZqNTPhmXajmFRc1w+AvdxoTnTKjFmRCeJzKOVlDdygn
        U8/I5mN4R4gm4H6EUQmgNX1dmtEEW6lsm+xPBrrE8IcyG6HAl+JoFCypr5+iCCSV
        9+JIsmNRAgMBAAECggEAAI/NeYUj9QY0tpOKh51Ay7TSMMU/K/CBaIDY7nfYPaJh
        X3TWPLFqEwCpIvGafmMMUXSEGtfC+Tl0EjNFXuS7BYJfrdIk9cW7B+B9wmYVFxOG
        ciD3ChmskmBoCw0XlKKFUqdM07bvnY6J1axmUZqAy4mCbnb3KNOAcVRRRbQ3wBKJ
        Uri8VqAjV8UXnnZuzuMetnKfpf6AxapV4KdHF3ZjDmnty8kzVA1lmmWNXYoD0xXs
        N6rHQQns4Ia7roICmFWQ7k39Fb5tK7d+JnAwGLaYLoEOhHU/7JlE061prj0BWe0A
        4Do1ECDolOs5MQHYCIKXr6+apU7guF4lr850BqzIYQKBgQDw9Yn78skocwiM+Yfa
        iC/jSYqE9CBoUq6bln5FxNELX3277hL9nepQ3VP+j5S40++zK1qzpIZUpLG4yiKy
        wBnoUmJiwzrAA+jR5AwN3oPlnHHYGSmz43BRSSF3MB3rhoByS+CN+kebH3Grm0ov
        33F5tCn4/CTi4KOruBFPAveqsQKBgQDR7Ua7de4RqeJrON49L3X0oNH6rssHKRoB
        qO1jiKxdIH0/Eo1aWs5eS92WBqTFDwqG6QWN0Acg8vXfXf9LzR+sSuJAPA0OtAnW
        6nK79EF8x1N33qE59jtsPaw4zzJnWMkGNEiUvsIZGXCfVHjvi/VyXidn7Q8JBT70
        bAHFVZ8qoQKBgHjP83YSfc89Fe1w8y+blr8T0VLmABWuVwOFihw7GUDliOof7P+i
        HKicwA9jOAMPqCAiPaDSfdOUm9L17j3HWXYFUHUKQ7ugeiw6ddzCU0ldjir2OtWJ
        1He8/f1/b5D2aBJmftlQwnRBaMHM435rPr7xmRXQfkIOtaFUccE20KyRAoGBAME/
        dj+XfkLQathdj2gvypwZd3MXeVrsIT6p7W4VIObRw7pOL8Wflh4EJMW48/FbuUsc
        M7qqaAWS43huJVf4SlHm1YRgQ3zni69GP7x6S9a7/0B3t1+OJoGr/GCHjFTKzLNj
        afVT7YYBf0WNE48g/h/8QLZQ6ehZ5exHiRHJki5BAoGBALzUWXb0d0ctPGgr0e8F
        7J+sB2qezPfbkelCzkvwQ8Ymwyw1vPNSfJlnwW62jdN+FXnw4I1afmSuKgliJh5x
        3FDklbEZWjaKsFYLTBNC0TFuN3+ktc7/2U7vecqr/Ti3w6rMgi0iO8QvEt12iF+d
        jbfjkgVN09JFPur/ummlALGd
        -----END PRIVATE KEY-----

        """
}
