-- Where the anomaly check looks: main memory of one namespace, or of all ('').
SELECT id, namespace FROM shelf
WHERE state = 'active' AND branch = '' AND (:namespace = '' OR namespace = :namespace)
    AND strategic + validated + draft > 0
ORDER BY namespace
